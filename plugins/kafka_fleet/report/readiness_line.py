"""One sentence for the letter: takes the readiness of the day's last sweep, says whether a roll could have begun."""

from kafka_fleet.documents.readiness import Readiness
from kafka_fleet.report.formatting import sentence
from kafka_fleet.report.readiness_words import named_brokers, reason_words


def readiness_line(found: Readiness | None) -> str:
    """A whole sentence; empty of a day that was judged before readiness was kept.

    The most pressing reason is named, with the broker that it is of.
    """
    if found is None:
        return ""
    if found.sweep_at is None:
        return "Whether a roll may begin is not known: no sweep is stored."
    blocks = [one for one in found.reasons if one.level == "blocks"]
    if blocks:
        common = any(one.broker is None for one in blocks)
        who = "No broker" if common or len(found.of("not_ready")) == len(found.brokers) else None
        first = next((one for one in blocks if one.broker is None), blocks[0])
        of = f"of {named_brokers([first.broker])} alone, " if who and first.broker is not None and not common else ""
        who = f"{who} may be stopped" if who else f"Do not stop {named_brokers(found.of('not_ready'))}"
        return sentence(f"{who}: {of}{reason_words(first)}")
    gaps = [one for one in found.reasons if one.level == "unmeasured"]
    if gaps:
        more = f", and {len(gaps) - 1} more" if len(gaps) > 1 else ""
        return sentence(f"Nothing measured speaks against a roll; not measured: {reason_words(gaps[0])}{more}")
    warned = [one for one in found.reasons if one.level == "warns"]
    if warned:
        return sentence(f"A roll may begin, one broker at a time; know that {reason_words(warned[0])}")
    return "A roll may begin, one broker at a time."
