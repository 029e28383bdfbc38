"""What if a topic gets more partitions: takes a sweep and how groups began so far, gives what each group would skip.

A group has no offset on a new partition, so its reset policy decides where it begins. Producers and consumers find new
partitions by the same refresh of metadata; what is written before the group has found them is what `latest` skips.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pyarrow.compute as pc

from kafka_fleet.store.raw.newest_sweep import SweepTables

READS: Mapping[str, Sequence[str]] = {
    "sweeps": (),
    "declarations": ("declaration",),
    "topics": ("topic", "partition", "leader"),
    "groups": ("group_id", "state"),
    "group_members": ("group_id",),
    "group_offsets": ("group_id", "topic"),
    "group_assignments": ("group_id", "topic"),
    "partitions": ("broker", "topic", "partition", "replicas_count", "log_end_offset", "previous_log_end_offset"),
}
# of group_starts: what tells where a group began
STARTS = (
    "group_id", "topic", "begin_known", "absence_sure", "group_state", "committed_offset", "log_start_offset",
    "from_log_end_offset",
)  # fmt: skip
REFRESH_S = 300  # metadata.max.age.ms of clients, by default
Policy = Literal["latest", "earliest", "by_duration", "none", "not known"]
Source = Literal["declared", "seen", "not known"]


@dataclass(frozen=True)
class GroupSkip:
    """One group. at_least, at_most: records that it would skip in all new partitions; at_most None: no bound is known.

    source: the owner says so, or the group began so before, on `seen` partitions of any topic. members: 0: it does not
    run, and skips all that is written until it does.
    """

    group: str
    policy: Policy
    source: Source
    seen: int
    members: int
    at_least: int
    at_most: int | None

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Growth:
    """The answer. rate: records/s that the topic takes, by the last two sweeps; None: not measured."""

    partitions: int
    rate: float | None
    groups: tuple[GroupSkip, ...]


class NoTopic(LookupError):
    """The sweep lists no topic of that name."""


def growth(tables: SweepTables, topic: str, added: int, starts: Iterable[Mapping[str, Any]]) -> Growth | None:
    """What groups would skip, the most first; None where topics, groups or offsets were not read. Raises NoTopic."""
    if any(tables.unread(name) for name in ("topics", "groups", "group_offsets")):
        return None
    topics = tables.table("topics")
    count = topics.filter(pc.equal(topics["topic"], topic)).num_rows
    if not count:
        raise NoTopic(topic)
    rate = _rate(tables, topic)
    arriving = None if rate is None else rate * added / (count + added)
    declared, began = _declared(tables), _began(starts)
    members = tables.table("group_members")["group_id"].to_pylist()
    found = [
        _group(group, members.count(group), arriving, declared, began.get(group, ()))
        for group in sorted(_readers(tables, topic))
    ]
    return Growth(count, rate, tuple(sorted(found, key=_worst)))


def _worst(one: GroupSkip) -> tuple[int, float, str]:
    return (
        {"none": 0, "latest": 1, "by_duration": 2, "not known": 3, "earliest": 4}[one.policy],
        -(float("inf") if one.at_most is None else one.at_most),
        one.group,
    )


def _readers(tables: SweepTables, topic: str) -> set[str]:
    """Groups that have committed on the topic, or have it assigned."""
    found: set[str] = set()
    for name in ("group_offsets", "group_assignments"):
        rows = tables.table(name)
        found |= {one for one in rows.filter(pc.equal(rows["topic"], topic))["group_id"].to_pylist() if one is not None}
    return found


def _rate(tables: SweepTables, topic: str) -> float | None:
    before = next((one["previous_sweep_at"] for one in tables.table("sweeps").to_pylist()), None)
    rows = tables.table("partitions")
    led = rows.filter(pc.and_(pc.equal(rows["topic"], topic), pc.greater(rows["replicas_count"], 0))).to_pylist()
    both = [one for one in led if None not in (one["log_end_offset"], one["previous_log_end_offset"])]
    if before is None or not both or tables.sweep.sweep_at <= before:
        return None
    made = sum(max(0, one["log_end_offset"] - one["previous_log_end_offset"]) for one in both)
    return float(made / (tables.sweep.sweep_at - before).total_seconds())


def _group(
    group: str, members: int, arriving: float | None, declared: Mapping[str, Mapping[str, Any]], began: Sequence[Policy]
) -> GroupSkip:
    own = _of_pattern(group, declared)
    policy, lag, source = _policy(str(own.get("auto.offset.reset") or ""), began)
    refresh = _seconds(own.get("metadata.max.age.ms"))
    window = max(0.0, refresh - lag)
    most: int | None = None
    if policy in ("earliest", "none"):
        most = 0
    elif arriving is not None and (members or policy == "by_duration"):
        most = round(arriving * window)
    return GroupSkip(group, policy, source, len(began), members, 0, most)


def _seconds(value: Any) -> float:
    text = str(value) if value is not None else ""
    return int(text) / 1000 if text.isascii() and text.isdigit() and len(text) < 10 else REFRESH_S


def _policy(declared: str, began: Collection[Policy]) -> tuple[Policy, float, Source]:
    """The policy, the seconds before now that it begins at, and who says so."""
    text = declared.strip().lower()
    if text.startswith("by_duration:") and (seconds := _duration(text.removeprefix("by_duration:"))) is not None:
        return "by_duration", seconds, "declared"
    for policy in ("latest", "earliest", "none"):
        if text == policy:
            return policy, 0.0, "declared"
    if "earliest" in began:  # who began below the log end did not begin at it
        return "earliest", 0.0, "seen"
    return ("latest", 0.0, "seen") if began else ("not known", 0.0, "not known")


def _duration(text: str) -> float | None:
    """Seconds of an ISO 8601 duration of days and time, `pt6m`; None for any other text."""
    found = re.fullmatch(r"p(?:(\d{1,5})d)?(?:t(?:(\d{1,6})h)?(?:(\d{1,7})m)?(?:(\d{1,9})(?:\.\d{1,9})?s)?)?", text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _declared(tables: SweepTables) -> Mapping[str, Mapping[str, Any]]:
    """What the owner declares of groups, by pattern."""
    texts = tables.table("declarations")["declaration"].to_pylist()
    content = json.loads(texts[0]) if texts and texts[0] else {}
    groups: Mapping[str, Mapping[str, Any]] = (content.get("client_configs") or {}).get("groups") or {}
    return groups


def _of_pattern(group: str, declared: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of several patterns that match the longest decides; `*` and `?` are wildcards."""
    for pattern in sorted(declared, key=lambda one: (-len(one), one)):
        if re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), group, re.DOTALL):
            return declared[pattern]
    return {}


def _began(starts: Iterable[Mapping[str, Any]]) -> Mapping[str, Sequence[Policy]]:
    """How each group began on partitions so far: below the log end of before (earliest), or at it or past it (latest).

    A group without members had its offsets set from outside; a start that may have gone unseen tells nothing.
    """
    found: dict[str, list[Policy]] = {}
    for one in starts:
        numbers = [one[name] for name in ("committed_offset", "log_start_offset", "from_log_end_offset")]
        if (
            None in numbers
            or one["group_state"] in ("Empty", "Dead")
            or not (one["begin_known"] and one["absence_sure"])
        ):
            continue
        committed, start, end = numbers
        if end > start:  # with nothing in the log both begin at the same offset
            found.setdefault(one["group_id"], []).append("earliest" if committed < end else "latest")
    return found
