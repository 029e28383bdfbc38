"""One finding as the letter shows it: takes a finding, its advisory and its signature, gives a card or a table row.

A card is for what was measured, a row for what is only so by release and configuration.
"""

from collections.abc import Mapping, Sequence

from kafka_fleet.report.charts import bar, chart
from kafka_fleet.report.formatting import bounds_text, quantity, sentence, span
from kafka_fleet.report.sanitize import clip
from kafka_fleet.report.view_models import AdvisoryText, Card, Cut, Evidence, Json, Limits, Table, cut_list

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


def _evidence(raw: Json, ds: str, limits: Limits) -> Evidence:
    value, threshold, unit = raw["value"], raw["threshold"], raw["unit"]
    if unit in raw["metric"].split():
        unit = None  # "391 records skipped", not "391 records: records skipped"
    return Evidence(
        metric=raw["metric"],
        value=quantity(value, unit, threshold),
        threshold=None if threshold is None else quantity(threshold, unit, value),
        where=raw["where"],
        when=span(raw["from"], raw["to"], ds),
        mbean=raw["mbean"],
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


def meaning(finding: Json) -> str:
    """What the verdict of this finding claims, in one sentence (footnotes 1 to 3 of the verdict table)."""
    verdict, exposure = finding["verdict"], finding["exposure"]
    if verdict == "look_alike" and finding["advisory"] is None:
        return "The symptom was measured; no known bug of this cluster's releases is proven to cause it."
    if verdict == "look_alike" and exposure == "unknown":
        return "The symptom was measured; this build cannot be compared and may well have the bug."
    if verdict == "look_alike":
        return "The symptom was measured, but this release has the fix: look for another cause."
    if verdict == "confirmed":
        return "The release is affected and the symptom was measured."
    if verdict == "exposed" and finding["signature"] is None:  # a condition of the cluster: measured, and no symptom
        return "This was read from the cluster on this day; the figures below are what it rests on."
    if verdict == "exposed":
        return "The release is affected and the measurement points to the bug, but does not prove it."
    return "The measurement points to it, but whether this build is affected could not be decided."


def _advice(details: Json, cause: str | None) -> list[Json]:
    """What to do and check: the advice for this cause, and that for all."""
    return [one for one in details.get("advice", []) if not one["causes"] or cause in one["causes"]]


def _table(details: Json, limits: Limits) -> Table | None:
    rows = details.get("rows")
    if not rows or not limits.table:
        return None
    heads = tuple(name.replace("_", " ") for name in rows["columns"])
    cells = [tuple("" if cell is None else clip(cell, limits.clip) for cell in row) for row in rows["rows"]]
    return Table(heads, cut_list(cells, limits.table))


def make_card(
    finding: Json, advisories: Mapping[str, AdvisoryText], signature: Json | None, ds: str, limits: Limits, above: str
) -> Card:
    """The card of a measured finding. `above`: label of an earlier card with the same signature, or empty."""
    advisory = advisories.get(finding["advisory"] or "")
    details: Json = signature or {"title": finding["signature"], "look_alikes": [], "charts": [], "remeasure": None}
    charts = [made for raw in details["charts"] if (made := chart(raw, ds, limits.columns))]
    rivals = [
        f"{key}: {own_text(text.title)}"
        for key, text in sorted(advisories.items())
        if finding["advisory"] is None
        and text.signature
        and text.signature.id == finding["signature"]
        and finding["cause"] in text.signature.causes
    ]
    return Card(
        verdict=finding["verdict"],
        id=finding["advisory"],
        title=own_text(advisory.title) if advisory else str(finding["advisory"] or details["title"]),
        severity=finding["severity"],
        cause=finding["cause"],
        strength=finding["strength"],
        meaning=meaning(finding),
        release=finding["release"],
        components=component_words(finding["components"] or []),
        measured_on=measured_on(finding["components"] or []),
        upgrade_to=finding["upgrade_to"],
        summary=own_text(advisory.summary) if advisory else "",
        mechanism=own_text(advisory.mechanism) if advisory else "",
        why_upgrade=own_text(advisory.why_upgrade) if advisory else "",
        workaround=own_text(finding["workaround"] or (advisory.workaround if advisory else "")) or None,
        sources=tuple((source, link(source)) for source in advisory.sources) if advisory else (),
        subjects=subjects_by_kind(finding["subjects"], limits),
        evidence=cut_list([_evidence(raw, ds, limits) for raw in finding["evidence"]], limits.evidence),
        bounds=bounds_text(finding["bounds"]),
        missing=cut_list([sentence(text) for text in finding["missing"]], limits.sentences),
        rivals=cut_list(rivals, limits.sentences),
        details_above=above or None,
        look_alikes=cut_list([] if above else details["look_alikes"], limits.sentences),
        charts=cut_list([] if above else charts, limits.charts),
        advice=cut_list(_advice(details, finding["cause"]), limits.sentences),
        table=None if above else _table(details, limits),
        remeasure=None if above else details["remeasure"],
    )
