"""The power is cut on a real disk: what was said to be done is there afterwards, what was under way is whole or not.

Nothing here counts calls. A writer that leaves out an fsync, of files or of folders, loses what it said: tried as well.
"""

import stat
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.config.acknowledgement_edits import add_acknowledgement
from kafka_fleet.config.acknowledgements import NAME, load_acknowledgements
from kafka_fleet.mail.outbox import Outbox
from kafka_fleet.store.files import replace_file
from kafka_fleet.store.generations import claim_generation, current_generation, publish
from kafka_fleet.store.raw.compaction import compact, tidy
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.builders.acknowledged import entry
from support.builders.letter_rows import DS
from support.builders.sent_letters import CLUSTER, NOON, OWNER, send
from support.failures.power_cut import Disk, NoDisk, cut_after, cut_before
from support.servers.mail_server import plain

pytestmark = [pytest.mark.fault(77), pytest.mark.sampled("power-cuts")]

FIRST, NEXT = datetime(2026, 11, 20, 10, tzinfo=UTC), date(2026, 11, 21)
LONG_AFTER = FIRST.timestamp() + 10**9
Work = Callable[[Path], object]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path / "disk")
    try:
        made.mount()
    except NoDisk as error:
        # a container without the right to mount; the crash points of the same writes are tested there all the same
        pytest.skip(f"no disk can be mounted here, so no power can be cut: {error}")
    yield made
    made.unmount()


def sweep(home: Path, number: int) -> None:
    at = FIRST + timedelta(minutes=10 * number)
    rows = [
        {"broker": 1, "topic": "orders", "partition": p, "log_end_offset": p + number, "replicas_count": 1,
         "read_at": at} for p in range(50)
    ]  # fmt: skip
    land(home, CLUSTER, at, {"sweeps": [{"admin_outcome": "ok", "admin_missing": []}], "partitions": rows})


def landed(home: Path) -> tuple[int, list[object], int]:
    """Whole sweeps, damaged ones, and rows of partitions."""
    whole, damaged = manifests(home, DS)
    return len(whole), list(damaged), len(read_rows(home, whole, "partitions")) if whole else 0


def box(home: Path) -> Outbox:
    return Outbox(home, DS, CLUSTER, timedelta(minutes=10))


def compose(home: Path) -> None:
    send(home, plain(1))  # nobody listens: composed, and due


def take(home: Path) -> None:
    assert box(home).claim(box(home).read()[-1], OWNER, NOON)


def judged(home: Path) -> None:
    generation = claim_generation(home, DS)
    replace_file(home / f"findings/ds={DS}/{generation}/findings.json", b"[]" * 5_000)
    publish(home / f"findings/ds={DS}", generation)


def findings(home: Path) -> bytes | None:
    generation = current_generation(home / f"findings/ds={DS}")
    return None if generation is None else (home / f"findings/ds={DS}/{generation}/findings.json").read_bytes()


def state(home: Path) -> str | None:
    mails = box(home).read()
    return mails[-1].recipients[OWNER].state if mails else None


def accept(home: Path, cluster: str = "payments-eu") -> None:
    add_acknowledgement(home / NAME, entry(cluster=cluster))


def accepted(home: Path) -> list[str]:
    found = load_acknowledgements(home / NAME)
    assert found.faults == []
    return [one.cluster for one in found.entries]


STORY: list[tuple[Work, Callable[[Path], object], object]] = [
    (lambda home: sweep(home, 0), landed, (1, [], 50)),
    (lambda home: sweep(home, 1), landed, (2, [], 100)),
    (lambda home: sweep(home, 2), landed, (3, [], 150)),
    (judged, findings, b"[]" * 5_000),
    (compose, state, "due"),
    (take, state, "claimed"),
    (accept, accepted, ["payments-eu"]),
    (lambda home: accept(home, "other"), accepted, ["payments-eu", "other"]),
    (lambda home: compact(home, DS, NEXT), landed, (3, [], 150)),
    (lambda home: tidy(home, LONG_AFTER), landed, (3, [], 150)),
]


def test_what_was_done_is_there_after_every_cut(disk: Disk) -> None:
    home, done = disk.folder, {}
    for work, read, expected in STORY:
        cut_after(disk, lambda work=work: work(home))
        done[read] = expected
        assert {one: one(home) for one in done} == done


@pytest.mark.parametrize(
    ("forgets", "what"),
    [(stat.S_ISREG, "files"), (stat.S_ISDIR, "folders"), (lambda _mode: True, "either")],
    ids=["no file is synced", "no folder is synced", "nothing is synced"],
)
@pytest.mark.parametrize("number", [0, 3, 5, 7], ids=["sweep", "findings", "claim of a mail", "acknowledgement"])
def test_who_forgets_to_sync_loses_what_was_done(disk: Disk, forgets: Callable[[int], bool], what: str, number: int):
    """The control: the cut is real, and the test above would see a sync that is missing."""
    home = disk.folder
    work, read, expected = STORY[number]
    disk.settled(lambda: [earlier(home) for earlier, *_ in STORY[:number]])
    for _try in range(3):  # whoever syncs all disks of the machine just then has it survive
        cut_after(disk, lambda: work(home), forgets)
        try:
            found = read(home)
        except (OSError, ValueError, RuntimeError, AssertionError):
            return  # it is there, and empty
        if found != expected:
            return
        disk.back()
    pytest.fail(f"it survived although {what} were not synced")


@pytest.mark.parametrize("number", [1, 3, 5, 7, 8, 9], ids=["sweep", "findings", "claim", "accept", "compact", "tidy"])
def test_a_cut_in_the_middle_leaves_the_old_or_the_new(disk: Disk, number: int) -> None:
    home = disk.folder
    work, read, expected = STORY[number]
    disk.settled(lambda: [earlier(home) for earlier, *_ in STORY[:number]])
    before, point = read(home), 1
    while cut_before(disk, lambda: work(home), point):
        assert read(home) in (before, expected), point
        disk.back()
        point += 1
    assert read(home) == expected
    assert point > 2, "at least the file and its folder are synced"
