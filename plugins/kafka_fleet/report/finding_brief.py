"""A finding in a few plain lines, for programs that show no letter: what to do, and the figures that it rests on."""

from kafka_fleet.documents.finding import Evidence, Finding
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.report.cards import own_text
from kafka_fleet.report.formatting import quantity
from kafka_fleet.report.sanitize import displayed, shorten
from kafka_fleet.report.screen_model import BREVITIES, few
from kafka_fleet.report.trouble import what_to_do, words_of

LINES, LINE = 5, 300  # figures, and characters of each
WORDS = 60  # of what to do, and of what to do until then


def advice_for(finding: Finding) -> str:
    """What to do about it; empty where nothing is known. Names in it are visible and short."""
    signatures = load_signatures()
    signature = signatures.get(finding.signature or "")
    upgrades = finding.verdict in ("confirmed", "exposed") and finding.upgrade_to is not None
    meanwhile = few(displayed(own_text(finding.workaround or ""), 1000), WORDS)
    if not upgrades and (signature is None or finding.cause not in signature.owner_words):
        return meanwhile
    said = words_of(finding, load_advisories(), signatures, BREVITIES[0])
    now = few(what_to_do(finding, said, upgrades), WORDS)
    return f"{now} Until then: {meanwhile}" if upgrades and meanwhile else now


def evidence_lines(finding: Finding) -> tuple[str, ...]:
    """Its first figures, the main one first, each with place and threshold."""
    return tuple(_line(one) for one in finding.evidence[:LINES])


def _line(one: Evidence) -> str:
    unit = None if one.unit in one.metric.split() else one.unit
    parts = [f"{quantity(one.value, unit, one.threshold)}: {one.metric}", *([one.where] if one.where else [])]
    limit = "" if one.threshold is None else f"; threshold {quantity(one.threshold, unit, one.value)}"
    return shorten(f"{', '.join(parts)}{limit}".replace("\u00a0", " "), LINE)
