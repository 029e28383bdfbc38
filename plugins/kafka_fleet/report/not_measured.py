"""A cluster that was not reached, in a few lines: takes a report, gives what was tried, the answers, what to check."""

import re
from collections.abc import Sequence

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.report.formatting import joined, plural
from kafka_fleet.report.sanitize import displayed, shorten
from kafka_fleet.report.screen_model import Brevity, few

MOST_ADDRESSES = 3
_LONG = 60  # characters of an address
# kinds of failures of agents, in words
_KINDS = {
    "timeout": "no answer in time",
    "unreachable": "no connection",
    "auth": "login refused",
    "tls": "TLS failed",
    "redirect": "a redirect",
    "http": "an HTTP error",
    "cut_off": "the answer broke off",
    "not_json": "no agent answers there",
    "forbidden": "an address that is not allowed",
    "no_endpoint": "no agent declared",
    "other_broker": "another broker's agent",
    "stale": "old values",
    "exporter": "the exporter could not read it",
    "not_exported": "its rules leave out too much",
}
_CHECKS = (
    ("no_sweep", "That fleet_collect runs and has this cluster"),
    ("auth", "The login of the fleet's user"),
    ("tls", "Certificates and their expiry"),
    ("timeout", "That brokers are up and firewalls let this machine through"),
    ("unreachable", "That brokers are up and addresses are right"),
)


def _said(server: str, failures: Sequence[str]) -> str:
    """What a bootstrap server answered, of the failures of the Kafka protocol that name it; else the first of them."""
    for failure in failures:
        match = re.search(rf"{re.escape(server)}:? ?(?:\(([^)]*)\)|([^;,]*))", failure)
        if match and (match[1] or match[2]):
            return str(match[1] or match[2]).strip(" .")
    return failures[0].rsplit(": ", 1)[-1] if failures else "no answer"


def _some(places: Sequence[str], most: int) -> str:
    """The first of them, and how many more there are."""
    if len(places) <= most + 1:
        return joined(list(places))
    return joined([*places[:most], f"{len(places) - most:,} more"])


def _answers(report: ClusterReport, brief: Brevity) -> list[str]:
    """Each address with its answer; those with the same one together."""
    by_answer: dict[str, list[str]] = {}
    agents: dict[str, list[str]] = {}
    for server in report.bootstrap_servers:
        said = few(displayed(_said(server, report.coverage.admin.failures), 120), min(8, brief.words))
        by_answer.setdefault(said, []).append(shorten(server, _LONG))
    for one in report.coverage.brokers:
        kinds = ", ".join(_KINDS.get(kind, displayed(kind, 20)) for kind in one.failures[:2]) or "no answer"
        agents.setdefault(kinds, []).append(str(one.broker))
    most = min(MOST_ADDRESSES, brief.others + 1)
    found = [f"{_some(places, most)}: {said}" for said, places in by_answer.items()]
    for said, places in agents.items():
        whose = "agent of broker" if len(places) == 1 else "agents of brokers"
        found.append(f"{whose} {_some(places, most)}: {said}")
    shown = found[:most]
    return [*shown, *([plural(len(found) - most, "other answer")] if len(found) > most else [])]


def _check(report: ClusterReport) -> str:
    kinds = {kind for one in report.coverage.brokers for kind in one.failures}
    text = " ".join(report.coverage.admin.failures).lower()
    kinds |= {kind for kind, words in (("auth", "authent"), ("tls", "ssl"), ("timeout", "in time")) if words in text}
    kinds |= set() if report.coverage.sweeps else {"no_sweep"}
    kinds = kinds or {"unreachable"}
    checks = [what for kind, what in _CHECKS if kind in kinds]
    return checks[0] if checks else _CHECKS[-1][1]


def unreached_facts(report: ClusterReport, last_measured: str | None, brief: Brevity) -> tuple[tuple[str, str], ...]:
    """Label and text of each line."""
    if report.declaration_error:
        why = few(displayed(report.declaration_error, 200), max(12, brief.words // 2))
        return (("Why", why), ("Check", "The entry in the fleet file with kafka-fleet check."))
    sweeps = report.coverage.sweeps
    facts = [("Tried", f"{plural(sweeps, 'sweep')}." if sweeps else "No sweep ran.")]
    if sweeps:
        facts.append(("Answers", f"{'; '.join(_answers(report, brief))}."))
    facts.append(("Last measured", f"{last_measured}." if last_measured else "Not in 31 days."))
    facts.append(("Check", f"{_check(report)}."))
    return tuple(facts)
