"""One finding as the letter shows it: takes a finding, its advisory and its signature, gives a card or a table row.

A card is for what was measured, a row for what is only so by release and configuration.
"""

from collections.abc import Mapping, Sequence

from kafka_fleet.documents.cluster_report import AdviceReport, SignatureReport
from kafka_fleet.documents.finding import Evidence as Figure
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.verdicts import meaning, rival_advisories
from kafka_fleet.report.charts import bar, chart
from kafka_fleet.report.formatting import bounds_text, quantity, sentence, span
from kafka_fleet.report.sanitize import clip
from kafka_fleet.report.view_models import Card, Cut, Evidence, Limits, Table, cut_list

_KINDS = ("broker", "controller", "listener", "host", "topic", "partition", "group", "client", "producer")
_NAME = 120  # characters of a topic, group or client id; two that differ at either end stay apart
_SIDES = {"client-producer": "producers", "client-consumer": "consumers", "client": "clients"}


def component_words(components: Sequence[str]) -> str:
    """Component ids as an owner says them: `broker, producers`."""
    return ", ".join(_SIDES.get(component, component) for component in components)


def measured_on(components: Sequence[str]) -> str:
    """Which release a finding names: a topic and a host have none, so that of their brokers."""
    return component_words([one for one in components if one not in ("topic", "host")] or ["broker"])


def subjects_by_kind(subjects: Sequence[str], limits: Limits) -> tuple[tuple[str, Cut], ...]:
    """`broker 2`, `topic a`, `topic b` as (Broker: 2), (Topics: a, b); names without a known kind come last.

    Client fleets come first where the finding names them first: it is they that have to upgrade.
    """
    grouped: dict[str, list[str]] = {}
    for subject in subjects:
        kind, _, name = subject.partition(" ")
        known = kind in _KINDS and name
        grouped.setdefault(kind if known else "also", []).append(clip(name if known else subject, _NAME))
    first = ("client",) if next(iter(grouped), None) == "client" else ()
    order = [kind for kind in dict.fromkeys((*first, *_KINDS, "also")) if kind in grouped]
    return tuple(
        (
            kind.capitalize() + ("s" if kind != "also" and len(grouped[kind]) > 1 else ""),
            cut_list(grouped[kind], limits.subjects),
        )
        for kind in order
    )


def _evidence(raw: Figure, ds: str, limits: Limits) -> Evidence:
    value, threshold, unit = raw.value, raw.threshold, raw.unit
    if unit in raw.metric.split():
        unit = None  # "391 records skipped", not "391 records: records skipped"
    return Evidence(
        metric=raw.metric,
        value=quantity(value, unit, threshold),
        threshold=None if threshold is None else quantity(threshold, unit, value),
        where=raw.where,
        when=span(raw.from_at, raw.to_at, ds),
        mbean=raw.mbean,
        bar=bar(value, threshold, unit),
    )


def link(source: str) -> str | None:
    """Address of a source that is one, or that is the id of an issue or CVE; None for other words."""
    if source.startswith("https://") and not any(c in source for c in " \"'<>\\"):
        return source
    if source.startswith("KAFKA-") and source[6:].isdigit():
        return f"https://issues.apache.org/jira/browse/{source}"
    if source.startswith("CVE-") and source[4:].replace("-", "").isdigit():
        return f"https://www.cve.org/CVERecord?id={source}"
    return None


def own_text(text: str) -> str:
    """A catalogue text on one line: folded YAML may keep line breaks."""
    return " ".join(text.split())


def _advice(signature: SignatureReport | None, cause: str | None) -> list[AdviceReport]:
    """What to do and check: the advice for this cause, and that for all."""
    return [one for one in signature.advice if not one.causes or cause in one.causes] if signature else []


def _table(signature: SignatureReport, limits: Limits) -> Table | None:
    rows = signature.rows
    if not rows or not limits.table:
        return None
    heads = tuple(name.replace("_", " ") for name in rows.columns)
    cells = [tuple("" if cell is None else clip(cell, limits.clip) for cell in row) for row in rows.rows]
    return Table(heads, cut_list(cells, limits.table))


def make_card(
    finding: Finding,
    advisories: Mapping[str, Advisory],
    signature: SignatureReport | None,
    ds: str,
    limits: Limits,
    above: str,
) -> Card:
    """The card of a measured finding. `above`: label of an earlier card with the same signature, or empty."""
    advisory = advisories.get(finding.advisory or "")
    details = None if above else signature
    charts = [made for raw in details.charts if (made := chart(raw, ds, limits.columns))] if details else []
    title = signature.title if signature else finding.signature
    rivals = rival_advisories(advisories, finding.signature, finding.cause) if finding.advisory is None else {}
    return Card(
        verdict=finding.verdict,
        id=finding.advisory,
        title=own_text(advisory.title) if advisory else str(finding.advisory or title),
        severity=finding.severity,
        cause=finding.cause,
        strength=finding.strength,
        meaning=meaning(finding.verdict, finding.exposure, finding.advisory is not None, finding.signature is not None),
        release=finding.release,
        components=component_words(finding.components or []),
        measured_on=measured_on(finding.components or []),
        upgrade_to=finding.upgrade_to,
        summary=own_text(advisory.summary) if advisory else "",
        mechanism=own_text(advisory.mechanism) if advisory else "",
        why_upgrade=own_text(advisory.why_upgrade) if advisory else "",
        workaround=own_text(finding.workaround or (advisory.workaround if advisory else "")) or None,
        sources=tuple((source, link(source)) for source in advisory.sources) if advisory else (),
        subjects=subjects_by_kind(finding.subjects, limits),
        evidence=cut_list([_evidence(raw, ds, limits) for raw in finding.evidence], limits.evidence),
        bounds=bounds_text(finding.bounds),
        missing=cut_list([sentence(text) for text in finding.missing], limits.sentences),
        rivals=cut_list([f"{key}: {own_text(one.title)}" for key, one in rivals.items()], limits.sentences),
        details_above=above or None,
        look_alikes=cut_list(details.look_alikes if details else [], limits.sentences),
        charts=cut_list(charts, limits.charts),
        advice=cut_list(_advice(signature, finding.cause), limits.sentences),
        table=_table(details, limits) if details else None,
        remeasure=details.remeasure if details else None,
    )
