"""What could not be decided, by what would decide it: takes findings, gives one sentence for each thing to do.

The sentences on missing inputs are those of exposures, conditions and signatures. Of a finding that lacks several
inputs the first here counts: what is most for its owner to do.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import severity_rank
from kafka_fleet.report.formatting import joined, plural, sentence

_BROKER = r"(?:broker |(?P<role>controller ))?(?P<broker>\d+)"
_LACKED = "Find out {name} of {brokers}, which report no such setting"
_OF_ANY = "Read {name} of a broker"
# what a sentence says is missing -> what would decide it; {brokers}: of all findings that wait for the same
_RULES = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        (r"[Nn]o sweep (?:reached this cluster|of this day)", "Reach the cluster"),
        (r"not asked for in this run", "Judge the day by all signatures"),
        # what describes settings is asked of brokers alone
        (
            r"the settings of (?P<role>controller )(?P<broker>\d+) were not read \((?P<name>[\w.]+)\)",
            "Look up {name} on {brokers}",
        ),
        (rf"the (?:settings|listeners) of {_BROKER} were not read", "Read the settings of {brokers}"),
        (rf"{_BROKER} reports no setting (?P<name>\S+)", _LACKED),
        (rf"{_BROKER} (?:does not show the value of|sets) (?P<name>[\w.]+)", "Look up {name} on {brokers}"),
        (rf"(?P<name>[\w.]+) is set on {_BROKER}, to a value", "Look up {name} on {brokers}"),
        (r"(?P<name>[\w.]+) was not read of any broker", _OF_ANY),
        (r"(?P<name>[\w.]+) was not read of topics", "Read {name} of the topics"),
        (r"topics were not read", "Let the Kafka user describe all topics"),
        (r"no controller was read", "Reach the agent of a controller"),
        (r"no broker was read", "Reach the agent of a broker"),
        (rf"(?:release|clock|log cleaner|process start) of {_BROKER} was not read", "Reach the agent of {brokers}"),
        (r"broker (?P<broker>\d+): (?:no two reads|its logs|fewer than)", "Read {brokers} at two sweeps or more"),
        (
            r"metadata\.version was not read|KRaft or ZooKeeper was not read",
            "Let the Kafka protocol describe the cluster",
        ),
        (
            r"[Cc]ommitted offsets were not read|consumer groups.* (?:were|could) not",
            "Let the Kafka user describe groups",
        ),
        (r"noted no certificates", "Collect by a version that notes certificates"),
        (r"certificate of (?:listener|agent) .* was not read", "Reach all listeners and agents over TLS"),
        (
            r"size of (?:its|their) disks|the (?:logs, or the )?disks,? of so many",
            "Read log directories of brokers of 3.3 or later",
        ),
        (r"how fast the disks of", "Sweep the cluster for some hours"),
        (r"shows over days: last sweeps", "Sweep the cluster for a week, and keep its raw tables as long"),
        (r"read for long enough to say which clients", "Read all brokers of 3.7 and later for half a day"),
        (
            r"which counts no clients|count clients of old requests|how many records they convert",
            "Ask who writes and reads, since brokers do not count",
        ),
        (r"unknown build|cannot be compared", "Ask the vendor which Apache release the build stands for"),
        (
            r"name no library|names its version|client versions|client libraries|client_configs|not declared|"
            r"no entry for it|shows itself as|which of the Java clients",
            "Declare the client libraries under client_configs in the fleet file",
        ),
    )
)


@dataclass(frozen=True)
class Decider:
    """One thing that would decide findings. text: what to do, or the reason itself; reasons: the others, each once."""

    text: str
    findings: tuple[Finding, ...]
    reasons: tuple[str, ...]

    @property
    def line(self) -> str:
        """`Read the settings of broker 3: 12 issues wait for it.`"""
        waiting = f"{plural(len(self.findings), 'issue waits', 'issues wait')} for it."
        return f"{self.text} {waiting}" if self.text.endswith(".") else f"{self.text}: {waiting}"


def _rule(reasons: Sequence[str]) -> tuple[int, str]:
    """Place of the rule and the setting that it names; of an unknown sentence itself."""
    for place, (pattern, _what) in enumerate(_RULES):
        for reason in reasons:
            match = pattern.search(reason)
            if match:
                return place, match.groupdict().get("name") or ""
    return len(_RULES), reasons[0] if reasons else "No reason was recorded"


def _brokers(place: int, findings: Sequence[Finding]) -> str:
    pattern = _RULES[place][0]
    found: dict[str, set[int]] = {}
    for reason in (reason for one in findings for reason in one.missing):
        match = pattern.search(reason)
        if match and match.groupdict().get("broker"):
            role = "controller" if match.groupdict().get("role") else "broker"
            found.setdefault(role, set()).add(int(match["broker"]))
    parts = []
    for role in sorted(found):
        names = [f"{number}" for number in sorted(found[role])]
        shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
        parts.append(f"{role}{'' if len(names) == 1 else 's'} {joined(shown)}")
    return joined(parts)


def _join_of_any(named: dict[tuple[int, str], dict[str, list[Finding]]]) -> None:
    """What any broker would decide is found out of those whose settings have to be found out anyway."""
    rules = [what for _pattern, what in _RULES]
    lacked = [key for key in named if key[0] == rules.index(_LACKED)]
    if lacked:
        for name, own in named.pop((rules.index(_OF_ANY), ""), {}).items():
            named[lacked[0]].setdefault(name, []).extend(own)


def deciders(findings: Sequence[Finding]) -> list[Decider]:
    """All undecided findings by what would decide them: what most wait for first, then by severity.

    Settings to be read on the same brokers are one thing to do, and so are those that any broker would tell.
    """
    groups: dict[tuple[int, str], list[Finding]] = {}
    for one in findings:
        groups.setdefault(_rule(one.missing), []).append(one)
    named: dict[tuple[int, str], dict[str, list[Finding]]] = {}
    for (place, name), own in groups.items():
        known = place < len(_RULES)
        at = (_brokers(place, own) if "{brokers}" in _RULES[place][1] else "") if known else name
        named.setdefault((place, at), {})[name] = own
    _join_of_any(named)
    made = []
    for (place, at), by_name in named.items():
        own = [one for some in by_name.values() for one in some]
        what = _RULES[place][1] if place < len(_RULES) else ""
        text = what.format(name=joined(sorted(by_name)), brokers=at) if what else sentence(at)
        missing = dict.fromkeys(reason for one in own for reason in one.missing)
        reasons = tuple(reason for reason in missing if sentence(reason) != text)
        made.append(Decider(text, tuple(sorted(own, key=lambda one: (severity_rank(one.severity), one.key))), reasons))
    return sorted(made, key=lambda one: (-len(one.findings), severity_rank(one.findings[0].severity), one.text))
