"""Reasons for and against a roll in words: takes a reason as data, gives one sentence without a full stop.

Names of topics, groups and listeners come from Kafka: they are made visible here, and escaped by the template.
"""

from collections.abc import Callable, Mapping, Sequence

from kafka_fleet.documents.readiness import Level, Readiness, ReadinessReason, ReadinessState
from kafka_fleet.report.formatting import binary_size, joined, number, plural
from kafka_fleet.report.sanitize import displayed

LEVEL_WORDS: Mapping[Level, str] = {
    "blocks": "not ready", "unmeasured": "not measured", "warns": "attention", "notes": "note",
}  # fmt: skip
STATE_WORDS: Mapping[ReadinessState, str] = {"ready": "ready", "not_ready": "not ready", "unknown": "not known"}
_LONGEST = 80  # characters of a name
_Words = Callable[[ReadinessReason], str]


def _names(one: ReadinessReason, kind: str = "") -> str:
    shown = [displayed(name, _LONGEST) for name in one.names]
    return f"{kind} {', '.join(shown)}".strip()


def _of(one: ReadinessReason, word: str, of: str = "of topic") -> str:
    """`12 partitions (of topic a, b)`."""
    named = f" ({_names(one, of)})" if one.names else ""
    return f"{plural(one.count or 0, word)}{named}"


def _bytes(text: str | None) -> str:
    return binary_size(int(text)) if text and text.isdigit() else "?"


def _brokers(one: ReadinessReason) -> str:
    more = (one.count or 0) - len(one.names)
    shown = [*(displayed(name, _LONGEST) for name in one.names), *([f"{more:,} more"] if more > 0 else [])]
    return f"{'broker' if len(shown) == 1 else 'brokers'} {joined(shown)}" if shown else "brokers"


def _backlog(one: ReadinessReason) -> str:
    cut = "; net.core.somaxconn, which may cut it further, was not measured" if one.about == "somaxconn" else ""
    return f"listener {_names(one)} queues {number(one.limit)} at once{cut}"


_WORDS: Mapping[str, _Words] = {
    # measured, and in the way
    "offline": lambda r: f"{_of(r, 'partition')} would be offline: no other replica is in sync",
    "under_min_isr": lambda r: f"{_of(r, 'partition')} would fall under min.insync.replicas: acks=all stops there",
    "offline_now": lambda r: f"{_of(r, 'partition')} {_have(r)} no leader already",
    "under_min_isr_now": lambda r: f"{_of(r, 'partition')} {_are(r)} under min.insync.replicas already",
    "coordinator_lost": lambda r: (
        f"{_of(r, 'group', '')} would have no coordinator: no other replica of their "
        "partition of __consumer_offsets is in sync"
    ),
    "commits_fail": lambda r: (
        f"{_of(r, 'group', '')} could not commit: their partition of __consumer_offsets would "
        "fall under min.insync.replicas"
    ),
    "coordinator_slow": lambda r: (
        f"{_of(r, 'group', '')} would wait long for the next coordinator: it has to read "
        f"{_bytes(r.about)} of __consumer_offsets first, which compaction should keep below 1 GiB"
    ),
    "quorum_lost": lambda r: (
        f"KRaft's controllers would lose their majority: {r.count} would be left, it takes {number(r.limit)}"
    ),
    "broker_starting": lambda r: f"broker {r.count} is still starting, or is shutting down",
    "target_older": lambda r: f"the release asked for is older than {_word(r)}, which runs here",
    "zookeeper": lambda r: f"the cluster runs with ZooKeeper: go to {_word(r)} and migrate to KRaft before 4.x",
    "bridge_first": lambda r: f"4.x starts only from 3.3 or later, metadata.version included: go to {_word(r)} first",
    "clients_refused": lambda r: (
        f"the release asked for refuses clients that are in use: {_names(r)} (told by their {_word(r)})"
    ),
    # measured, and to be known
    "clients_refused_once": lambda r: (
        f"since the brokers were started, though not on the newest judged day, {plural(r.count or 0, 'client')} sent "
        f"what the release asked for refuses: {_names(r)}"
    ),
    "clients_quiet": lambda r: f"the newest judged day: {_word(r, 160)}",
    "clients_counted": lambda r: (
        f"no client sent what the release asked for refuses, counted by {plural(r.count or 0, 'broker')} "
        + ("since they were started" if r.limit is None else f"for the last {number(r.limit)} hours at least")
    ),
    "reconnects": lambda r: f"{plural(r.count or 0, 'connection')} would come back at once, and {_backlog(r)}",
    "reconnects_elsewhere": lambda r: (
        f"each other broker may get {plural(r.count or 0, 'connection')} of it at once, and {_backlog(r)}"
    ),
    "reconnects_fit": lambda r: f"{plural(r.count or 0, 'connection')} may come back at once, and {_backlog(r)}",
    "out_of_sync_now": lambda r: f"{_of(r, 'partition')} {_have(r)} replicas out of sync: wait until none has",
    "leadership_away": lambda r: f"{_of(r, 'partition')} {_are(r)} led by another broker than the preferred one",
    "log_dirs_offline": lambda r: (
        f"broker {r.count} has {plural(int(r.limit or 0), 'log directory', 'log directories')} offline"
    ),
    "active_controller": lambda _r: "it is the active controller: stop it last",
    "leaders_move": lambda r: f"another broker has to lead {plural(r.count or 0, 'partition')}",
    "coordinator_moves": lambda r: f"{_of(r, 'group', '')} with members {_get(r)} another coordinator",
    "target_closes": lambda r: (
        f"{_word(r)} closes {plural(r.count or 0, 'finding')} of the newest judged day ({_names(r)})"
    ),
    "target_opens": lambda r: f"{_word(r)} opens {plural(r.count or 0, 'known issue')} ({_names(r)})",
    "rack_offline": lambda r: f"{_of(r, 'partition')} would be offline: all their in-sync replicas are gone",
    "rack_under_min_isr": lambda r: f"{_of(r, 'partition')} would fall under min.insync.replicas: acks=all stops there",
    "rack_leaders": lambda r: f"{plural(r.count or 0, 'partition')} of {number(r.limit)} would need another leader",
    "rack_groups": lambda r: f"{_of(r, 'group', '')} with members would need another coordinator",
    "rack_connections": lambda r: (
        f"each broker that is left may get {plural(r.count or 0, 'connection')} at once; the "
        f"smallest queue takes {number(r.limit)}"
    ),
    "disk_short": lambda r: (
        f"broker {r.count} has {binary_size(r.limit)} free for log directory {_names(r)}, and would be given "
        f"{_bytes(r.about)} while a broker is away"
    ),
    "disk_fits": lambda r: (
        f"disks hold what is written while a broker is away; the least room is on broker {r.count}: "
        f"{binary_size(r.limit)} free for {_bytes(r.about)}"
    ),
    "descriptors_short": lambda r: (
        f"broker {_names(r)} has {r.about} of {number(r.limit)} file descriptors open, and may get "
        f"{plural(r.count or 0, 'connection')} more"
    ),
    "descriptors_near": lambda r: f"{number(r.count)} of its {number(r.limit)} file descriptors are open",
    "descriptors_fit": lambda r: f"{number(r.count)} of its {number(r.limit)} file descriptors are open",
    # the last roll
    "last_roll_fine": lambda r: (
        f"the last roll, on {_word(r)}, restarted {plural(r.count or 0, 'broker')}, and nothing "
        "that is measured went wrong"
    ),
    "no_roll_seen": lambda _r: "no judged day shows a roll",
    "last_roll_killed": lambda r: f"the last roll, on {_word(r)}: no controlled shutdown of broker {_names(r)}",
    "last_roll_untold": lambda r: (
        f"the last roll, on {_word(r)}: whether broker {_names(r)} was shut down in a controlled way was not measured"
    ),
    "last_roll_recovery": lambda r: (
        f"the last roll, on {_word(r)}: broker {_names(r)} had logs to recover"
        + (f", for up to {number(r.limit)} s" if r.limit is not None else "")
    ),
    "last_roll_under_min_isr": lambda r: (
        f"the last roll, on {_word(r)}: {plural(r.count or 0, 'partition')} under "
        f"min.insync.replicas, for at most {number(r.limit)} s"
    ),
    "last_roll_errors": lambda r: f"the last roll, on {_word(r)}: {plural(r.count or 0, 'error')} of {_names(r)}",
    "last_roll_overflow": lambda r: (
        f"the last roll, on {_word(r)}: {plural(r.count or 0, 'connection')} did not fit "
        f"into the kernel's queue as broker {_names(r)} came back"
    ),
    "last_roll_leadership": lambda r: (
        f"the last roll, on {_word(r)}: leadership of {_of(r, 'partition')} did not return"
    ),
    # not measured
    "no_sweep": lambda _r: "no sweep of this cluster is stored",
    "sweep_old": lambda r: (
        f"the newest sweep is {plural(abs(r.count or 0), 'minute')} "
        f"{'old' if (r.count or 0) > 0 else 'ahead of this clock'}; collect again (it may be {number(r.limit)})"
    ),
    "brokers_unread": lambda _r: "the sweep names no broker",
    "broker_unread": lambda r: f"broker {r.count} did not answer{f' ({_word(r)})' if r.about else ''}",
    "topics_unread": lambda _r: "the partitions and their in-sync replicas were not read",
    "partitions_unread": lambda r: f"the in-sync replicas of {_of(r, 'partition')} were not read",
    "min_isr_unread": lambda r: f"min.insync.replicas of {_of(r, 'partition')} was not read",
    "groups_unread": lambda _r: "groups and their coordinators were not read",
    "offsets_log_unread": lambda r: (
        f"how much the next coordinator of {plural(r.count or 0, 'group')} has to read of "
        "__consumer_offsets was not measured"
    ),
    "connections_unread": lambda _r: "its connections were not read",
    "rack_connections_unread": lambda r: f"connections of {plural(r.count or 0, 'broker')} were not read",
    "backlog_unread": lambda r: (
        f"socket.listen.backlog.size was not read; {plural(r.count or 0, 'connection')} of "
        f"listener {_names(r)} may come back at once"
    ),
    "quorum_unread": lambda _r: "whether KRaft's controllers keep their majority: not all of them were read",
    "release_unread": lambda r: (
        "the release of a broker was not read, or is no build of Apache's" + (f" ({_word(r)})" if r.about else "")
    ),
    "mode_unread": lambda _r: "whether the cluster runs with ZooKeeper or KRaft",
    "java_unread": lambda r: f"the Java of the brokers: 4.x needs {_word(r)}",
    "clients_unread": lambda r: f"which clients are connected: brokers of {_word(r)} do not tell",
    "clients_nameless": lambda r: (
        f"the library of {plural(r.count or 0, 'connection')}: Java clients below 2.4 give "
        "no name, and 4.x may refuse them"
    ),
    "clients_uncounted": lambda r: (
        f"which requests clients send: {r.count} of {number(r.limit)} brokers do not count them by client (3.7 and "
        "later do), or were not read wholly"
    ),
    "disk_unread": lambda r: f"free disk space of {_brokers(r)}",
    "growth_unread": lambda _r: "how fast disks fill: no earlier sweep of the partitions to compare with",
    "descriptors_unread": lambda r: f"open file descriptors and their limit of {_brokers(r)}",
    "not_judged": lambda _r: "what went wrong in the last roll: no day is judged",
}


def _word(one: ReadinessReason, most: int = _LONGEST) -> str:
    return displayed(one.about or "?", most)


def _have(one: ReadinessReason) -> str:
    return "has" if one.count == 1 else "have"


def _are(one: ReadinessReason) -> str:
    return "is" if one.count == 1 else "are"


def _get(one: ReadinessReason) -> str:
    return "gets" if one.count == 1 else "get"


def codes() -> list[str]:
    """Every code that a reason may have."""
    return list(_WORDS)


def reason_words(one: ReadinessReason) -> str:
    """The sentence, without the broker that it is of. A code of a newer version is its own word."""
    words = _WORDS.get(one.code)
    return displayed(one.code.replace("_", " "), _LONGEST) if words is None else words(one)


def reason_lines(reasons: Sequence[ReadinessReason]) -> list[tuple[ReadinessReason, str]]:
    """A line for each reason, with the broker that it is of; what is said of several brokers alike is one line.

    Beside each line is the first reason that it stands for.
    """
    found: dict[tuple[str, str, str, bool], list[ReadinessReason]] = {}
    for one in reasons:
        found.setdefault((one.level, one.code, reason_words(one), one.broker is None), []).append(one)
    lines = []
    for (_level, _code, words, common), own in found.items():
        ids = [one.broker for one in own if one.broker is not None]
        who = "" if common else f"{'broker' if len(ids) == 1 else 'brokers'} {', '.join(map(str, ids))}: "
        lines.append((own[0], f"{who}{words}"))
    return lines


def brokers_words(found: Readiness) -> str:
    """`ready: 2, 3; not ready: 1`."""
    parts = [(STATE_WORDS[state], found.of(state)) for state in ("ready", "not_ready", "unknown")]
    return "; ".join(f"{word}: {', '.join(map(str, ids))}" for word, ids in parts if ids) or "no broker is known"


def named_brokers(ids: list[int], most: int = 5) -> str:
    """`broker 1`, `brokers 1, 2 and 3`, `12 brokers`."""
    if len(ids) > most:
        return f"{len(ids):,} brokers"
    return f"{'broker' if len(ids) == 1 else 'brokers'} {joined([str(one) for one in ids])}"
