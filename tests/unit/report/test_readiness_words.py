"""The words of readiness and rolls: every code has a sentence, the letter's line says the most pressing thing first."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from kafka_fleet.documents.readiness import Level, Readiness, ReadinessReason, answered
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.report.readiness_line import readiness_line
from kafka_fleet.report.readiness_words import codes, reason_words
from kafka_fleet.report.roll_words import duration, restart_cells, roll_lines, roll_title
from support.builders.roll_reports import a_roll, restart

ROOT = Path(__file__).resolve().parents[3]
AT = "2026-11-20T10:00:00Z"


def reason(code: str, level: Level, broker: int | None = None, count: int | None = 2, names: Sequence[str] = ("a",)):
    return ReadinessReason(code=code, level=level, broker=broker, count=count, names=list(names), limit=50, about="9.9")


def line(*reasons: ReadinessReason) -> str:
    return readiness_line(answered(AT, None, [1, 2, 3], reasons))


def test_every_code_that_is_given_has_words() -> None:
    code = re.compile(r'reason\(\s*"([a-z_0-9]+)"|_of\("([a-z_0-9]+)"|\("([a-z_0-9]+)", (?:"blocks|"unmeasured|loss\.)')
    given = set()
    for path in sorted((ROOT / "plugins/kafka_fleet/roll").glob("*.py")):
        given |= {next(filter(None, found)) for found in code.findall(path.read_text(encoding="utf-8"))}
    assert len(given) > 40
    assert given <= set(codes())
    assert set(codes()) - given == set()


def test_every_code_is_explained() -> None:
    page = (ROOT / "docs/rolling.md").read_text(encoding="utf-8")
    assert [one for one in codes() if f"`{one}`" not in page] == []


@pytest.mark.parametrize("code", codes())
def test_words_are_one_sentence_without_its_end(code: str) -> None:
    for count in (0, 1, 7):
        text = reason_words(reason(code, "blocks", 1, count))
        assert text
        assert not text.endswith((".", " "))
        assert "  " not in text
        assert "None" not in text


def test_a_code_of_a_newer_version_is_shown_as_it_is() -> None:
    assert reason_words(reason("moon_in_the_way", "blocks")) == "moon in the way"


def test_names_of_kafka_are_visible_and_short() -> None:
    text = reason_words(reason("offline", "blocks", names=["x\n\u202ey", "z" * 500]))
    assert "x\\n\\u202ey" in text
    assert len(text) < 300


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        ([], "A roll may begin, one broker at a time."),
        (
            [reason("leadership_away", "warns")],
            "A roll may begin, one broker at a time. Know before: 2 partitions (of topic a) are led by another broker "
            "than the preferred one.",
        ),
        (
            [reason("disk_unread", "unmeasured"), reason("descriptors_unread", "unmeasured")],
            "Nothing that was measured speaks against a roll; not measured: free disk space of brokers a and 1 more; "
            "open file descriptors and their limit of brokers a and 1 more.",
        ),
        (
            [reason("under_min_isr", "blocks", 2), reason("disk_unread", "unmeasured")],
            "Do not stop broker 2: 2 partitions (of topic a) would fall under min.insync.replicas: acks=all stops "
            "there.",
        ),
        (
            [reason("offline", "blocks", 1), reason("offline", "blocks", 3, 1)],
            "Do not stop brokers 1 and 3: broker 1: 2 partitions (of topic a) would be offline: no other replica is in "
            "sync (1 more reason).",
        ),
        (
            [reason("offline", "blocks", 1), reason("offline_now", "blocks", None, 1)],
            "No broker may be stopped: 1 partition (of topic a) has no leader already.",
        ),
    ],
)
def test_the_line_of_the_letter(reasons: list[ReadinessReason], said: str) -> None:
    assert line(*reasons) == said


def test_a_day_of_an_earlier_version_has_no_line() -> None:
    assert readiness_line(None) == ""


def test_a_cluster_without_a_sweep_has_a_line() -> None:
    gap = ReadinessReason(code="no_sweep", level="unmeasured")
    assert "no sweep of this cluster is stored" in readiness_line(Readiness(sweep_at=None, brokers=[], reasons=[gap]))


def roll(**more) -> RollReport:
    return RollReport.model_validate(a_roll(**more))


def test_a_roll_says_what_it_did() -> None:
    assert roll_title(roll(), "2026-11-19") == "Upgrade of 2 brokers from 3.9.0 to 3.9.1, 10:00 to 10:30 UTC"
    lines = roll_lines(roll())
    assert "Up to 5 partitions under min.insync.replicas, for 10 min at least, 20 min at most" in lines
    assert "Broker 2 recovered up to 40 logs before it was up" in lines
    assert "Broker 2, listener EXTERNAL: 400 connections in its first 5 min, 390 were held before; 12 connections " \
        "found the kernel's queue full" in lines  # fmt: skip
    assert "Coordinators completed 3 rebalances" in lines
    assert "2 groups had another coordinator for a time: billing, audit" in lines
    assert "Leadership of 4 partitions did not return: topic orders; 1 of them wait for a replica that is out of " \
        "sync" in lines  # fmt: skip
    assert lines[-1].replace("\u00a0", " ") == (
        "fetch_latency: Expired share of consumer fetches: 2 % before, 5 % during, 45 % after"
    )


def test_what_a_roll_did_not_measure_is_said() -> None:
    bare = {"under_min_isr": None, "errors": [], "reconnects": [], "rebalances": None, "groups_moved": None}
    lines = roll_lines(roll(**bare, leadership=None, symptoms=[]))
    assert [one for one in lines if "not measured" in one] == [
        "Partitions under min.insync.replicas: not measured",
        "Connections to the new processes: not measured",
        "Rebalances of groups: not measured",
        "Groups whose coordinator moved: not measured",
        "Whether leadership returned: not measured, no sweep came after it",
    ]


def test_a_restart_is_a_row() -> None:
    (one,) = roll(restarts=[restart(2, 0, in_sync=None, start_seconds=None, stop="killed")]).restarts
    assert restart_cells(one, "2026-11-19") == [
        "2", "10:00", "10:03", "–", "not that day", "10 min", "not controlled", "3.9.0 to 3.9.1"  # noqa: RUF001
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "–"), (0, "0 s"), (119.4, "119 s"), (600, "10 min"), (9000, "2.5 h")]  # noqa: RUF001
)  # fmt: skip
def test_durations_are_read_at_once(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text
