"""One sentence for the letter: takes the readiness of the day's last sweep, says whether a roll could have begun."""

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.readiness import Readiness, ReadinessReason
from kafka_fleet.report.finding_addresses import cluster_url
from kafka_fleet.report.formatting import clock, moment, plural, sentence
from kafka_fleet.report.readiness_words import named_brokers, reason_lines, reason_words
from kafka_fleet.report.screen_model import Line, Span, few, line

_WORDS = 30  # of the sentence in a letter
PLACE = "roll"  # on the cluster's page


def roll_line(report: ClusterReport, page: str) -> Line:
    """What a letter says of a roll: the moment, which leads to all reasons on the page, and the answer."""
    found = report.readiness
    said = few(readiness_line(found), _WORDS)
    if found is None or not said:
        return ()
    at = f"At {clock(moment(found.sweep_at), report.ds)} UTC" if found.sweep_at else ""
    return line(Span(at, cluster_url(page, report.cluster, report.ds, PLACE)) if at else "", ": " if at else "", said)


def readiness_line(found: Readiness | None) -> str:
    """A whole sentence, or two; empty of a day that was judged before readiness was kept.

    The most pressing reason is named, and how many more there are of its kind.
    """
    if found is None:
        return ""
    blocks = [one for one in found.reasons if one.level == "blocks"]
    if blocks:
        return _blocked(found, blocks)
    gaps = [one for one in found.reasons if one.level == "unmeasured"]
    if gaps:
        named = "; ".join(line for _one, line in reason_lines(gaps[:2]))
        more = f" ({plural(len(gaps) - 2, 'more gap')})" if len(gaps) > 2 else ""
        return sentence(f"Nothing that was measured speaks against a roll; not measured: {named}{more}")
    warned = [one for one in found.reasons if one.level == "warns"]
    if warned:
        return sentence(f"A roll may begin, one broker at a time. Know before: {_first(warned)}")
    return "A roll may begin, one broker at a time."


def _blocked(found: Readiness, blocks: list[ReadinessReason]) -> str:
    """The cluster's own reasons come first: they hold for every broker."""
    common = [one for one in blocks if one.broker is None]
    if common:
        return sentence(f"No broker may be stopped: {_first(common)}")
    stopped = found.of("not_ready")
    who = f"Do not stop {named_brokers(stopped)}" if len(stopped) < len(found.brokers) else "No broker may be stopped"
    return sentence(f"{who}: {_first(blocks, len(stopped) > 1)}")


def _first(reasons: list[ReadinessReason], named: bool = True) -> str:
    one = reasons[0]
    who = f"broker {one.broker}: " if named and one.broker is not None else ""
    more = f" ({plural(len(reasons) - 1, 'more reason')})" if len(reasons) > 1 else ""
    return f"{who}{reason_words(one)}{more}"
