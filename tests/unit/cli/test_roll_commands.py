"""`kafka-fleet ready`, `roll` and `what-if`: exit codes, one line per reason, JSON, sentences for what is unknown."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.store.raw.landing import land
from support.builders.published_days import DS, day, dossier, publish_day
from support.builders.roll_reports import a_roll
from support.builders.roll_sweeps import healthy, partition

CLUSTER = "payments-eu"
UNREAD = ("disk_unread", "descriptors_unread")
CHECKED = [word for code in UNREAD for word in ("--checked", code)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A healthy cluster, measured just now, and a judged day of it on which nothing was restarted."""
    land(tmp_path, CLUSTER, datetime.now(UTC), healthy())
    publish_day(tmp_path, DS, {CLUSTER: (dossier(CLUSTER, DS, rolls=[]), [])}, letters=False)
    return tmp_path


def run(home: Path, *words: str) -> int:
    verb, *rest = words
    return main([verb, "--home", str(home), "--cluster", CLUSTER, *rest])


def test_ready_without_anything_that_was_seen_to_by_hand(home: Path, capsys) -> None:
    assert run(home, "ready") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].endswith("ready: 1, 2, 3")
    assert sum(line.split()[1] in ("disk_fits", "descriptors_fit") for line in lines) == 2


def test_what_is_not_measured_is_not_ready_until_it_was_seen_to(tmp_path: Path, capsys) -> None:
    rows = healthy()
    rows["disks"] = []
    for one in rows["broker_metrics"]:
        one["open_file_descriptors"] = None
    land(tmp_path, CLUSTER, datetime.now(UTC), rows)
    publish_day(tmp_path, DS, {CLUSTER: (dossier(CLUSTER, DS, rolls=[]), [])}, letters=False)
    assert run(tmp_path, "ready") == 3
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in lines if line.startswith("not measured")] == list(UNREAD)
    assert lines[-1].endswith("not known: 1, 2, 3")
    assert run(tmp_path, "ready", *CHECKED) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("checked") for line in lines) == len(UNREAD)


def test_one_line_says_what_is_in_the_way(tmp_path: Path, capsys) -> None:
    rows = healthy()
    rows["topics"].append(partition("bad\n\u202etopic", 0, [2]))
    land(tmp_path, CLUSTER, datetime.now(UTC), rows)
    assert run(tmp_path, "ready", "--broker", "2") == 1
    out = capsys.readouterr().out
    (line,) = [one for one in out.splitlines() if " offline " in one]
    assert line.startswith("not ready     offline")
    assert "1 partition (of topic bad\\n\\u202etopic) would be offline" in line
    assert run(tmp_path, "ready", "--broker", "1", "--checked", "under_min_isr_now") == 3


def test_an_old_sweep_is_not_ready(tmp_path: Path, capsys) -> None:
    land(tmp_path, CLUSTER, datetime(2026, 1, 1, tzinfo=UTC), healthy())
    assert run(tmp_path, "ready", *CHECKED, "--checked", "not_judged") == 3
    assert "minutes old; collect again" in capsys.readouterr().out


def test_ready_as_json(home: Path, capsys) -> None:
    assert run(home, "ready", "--to", "4.0.0", "--json") == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["cluster"], found["state"], found["target"]) == (CLUSTER, "unknown", "4.0.0")
    assert found["brokers"][0] == {"broker": 1, "state": "unknown"}
    assert {"code", "level", "broker", "names", "count", "limit", "about"} == set(found["reasons"][0])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ready", "--to", "4.9"], "'4.9' is no release of Apache Kafka that was published"),
        (["ready", "--broker", "9"], "has no broker 9 at its newest sweep"),
        (["ready", "--checked", "disk"], "no reason is called disk; there are: "),
        (["what-if", "restart", "--broker", "9"], "has no broker 9 at its newest sweep"),
        (["what-if", "rack", "--rack", "r9"], "has no broker in rack r9; racks: r1, r2, r3"),
        (["what-if", "partitions", "--topic", "none", "--add", "2"], "has no topic none at its newest sweep"),
        (["roll", "--day", "2020-01-01"], "2020-01-01: nothing is judged of payments-eu"),
    ],
)
def test_what_is_not_there_is_a_sentence(home: Path, capsys, words: list[str], sentence: str) -> None:
    assert run(home, *words) == 2
    out, error = capsys.readouterr()
    assert (out, sentence in error) == ("", True)


@pytest.mark.parametrize("cluster", ["lost-eu", "../x", "PAYMENTS"])
@pytest.mark.parametrize("verb", [["ready"], ["roll"], ["what-if", "restart", "--broker", "1"]])
def test_an_unknown_cluster_is_a_sentence(home: Path, capsys, cluster: str, verb: list[str]) -> None:
    word, *rest = verb
    assert main([word, "--home", str(home), "--cluster", cluster, *rest]) == 2
    assert capsys.readouterr().out == ""


def test_a_cluster_that_was_never_reached_is_not_known(tmp_path: Path, capsys) -> None:
    publish_day(tmp_path, DS, {CLUSTER: (dossier(CLUSTER, DS), [])}, letters=False)
    assert run(tmp_path, "ready") == 3
    assert "no sweep of this cluster is stored" in capsys.readouterr().out


def test_the_last_roll_is_told_before_the_next(home: Path, capsys) -> None:
    earlier = dossier(CLUSTER, day(1), rolls=[a_roll()])
    publish_day(home, day(1), {CLUSTER: (earlier, [])}, letters=False)
    assert run(home, "ready", *CHECKED) == 0
    out = capsys.readouterr().out
    assert "no controlled shutdown of broker 2" in out
    assert "leadership of 4 partitions (of topic orders) did not return" in out


def test_a_roll_is_printed_broker_by_broker(home: Path, capsys) -> None:
    publish_day(home, day(1), {CLUSTER: (dossier(CLUSTER, day(1), rolls=[a_roll()]), [])}, letters=False)
    assert run(home, "roll") == 0
    out = capsys.readouterr().out
    assert out.startswith("Upgrade of 2 brokers from 3.9.0 to 3.9.1, ")
    rows = [line.split() for line in out.splitlines() if line[:1].isdigit()]
    assert [(row[0], row[-1]) for row in rows] == [("1", "3.9.1"), ("2", "3.9.1")]
    assert "- Up to 5 partitions under min.insync.replicas, for 600 s at least, 20 min at most" not in out
    assert "- Up to 5 partitions under min.insync.replicas, for 10 min at least, 20 min at most" in out
    assert "- Produce NOT_ENOUGH_REPLICAS: 7 responses; as long before: 0, after: 1" in out
    assert run(home, "roll", "--day", DS) == 0
    assert capsys.readouterr().out == f"{CLUSTER}: no broker was restarted on {DS}\n"


def test_a_roll_as_json_has_the_days_beside_it(home: Path, capsys) -> None:
    shown = dossier(CLUSTER, day(1), {"fetch_latency": "detected"}, rolls=[a_roll()])
    publish_day(home, day(1), {CLUSTER: (shown, [])}, letters=False)
    assert run(home, "roll", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ds"], found["rolls"]) == (day(1), [a_roll()])
    assert found["signatures"]["fetch_latency"] == {"before": None, "day": "detected", "after": "quiet"}


def test_a_day_of_an_earlier_version_says_so(tmp_path: Path, capsys) -> None:
    publish_day(tmp_path, DS, {CLUSTER: (dossier(CLUSTER, DS), [])}, letters=False)
    assert run(tmp_path, "roll") == 2
    assert "was judged before rolls were kept" in capsys.readouterr().err


def test_a_cluster_without_any_restart_has_no_roll(home: Path, capsys) -> None:
    assert run(home, "roll") == 0
    assert capsys.readouterr().out == f"no judged day shows a restart of {CLUSTER}\n"
    assert run(home, "roll", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rolls"] == []


def test_what_if_prints_consequences(home: Path, capsys) -> None:
    assert run(home, "what-if", "restart", "--broker", "1") == 0
    assert "20 connections may come back at once" in capsys.readouterr().out
    assert run(home, "what-if", "rack", "--rack", "r2", "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["brokers"] == [2]
    assert {one["code"] for one in found["reasons"]} == {"rack_leaders", "rack_groups", "rack_connections"}
    assert run(home, "what-if", "--json", "partitions", "--topic", "orders", "--add", "2") == 3  # no rate
    assert json.loads(capsys.readouterr().out)["records_per_second"] is None


def test_no_number_of_partitions_is_refused(home: Path) -> None:
    for text in ("0", "-1", "x", "9999999"):
        with pytest.raises(SystemExit) as error:
            run(home, "what-if", "partitions", "--topic", "orders", "--add", text)
        assert error.value.code == 2
