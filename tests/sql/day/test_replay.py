"""Stored days judged anew by today's rules, on sweeps of real brokers: one cluster was upgraded, one in vain.

`upgraded` runs 3.3.1 for two days and 3.3.2 after them; `in-vain` says 3.3.2 from then on, and behaves as before.
"""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fleet_spark.replay import replay
from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.cli.main import main
from kafka_fleet.documents.replays import (
    claim_replay,
    compared,
    days_to_replay,
    of_signatures,
    read_timelines,
    replay_rules,
)
from support.homes.recorded import Sweep, changed, land_all, recorded_day
from support.homes.stored_days import pointers
from support.spark_runs.analysed import by_hand, spark

pytestmark = [pytest.mark.sampled, pytest.mark.timeout(1200)]
BUG = "KAFKA-14334"
UPGRADE = 2  # days before it
DAYS = 5


def _day(number: int) -> str:
    return (Sweep("", _noon(), {}).at + timedelta(days=number)).date().isoformat()


def _noon() -> Any:
    return changed("follower331", "x", lambda _sweeps: None)[0].at.replace(hour=12)


def _told_to_be_332(sweeps: list[Sweep]) -> None:
    for row in (row for one in sweeps for row in one.rows("broker_metrics")):
        row["release"] = "3.3.2"


class Replayed(NamedTuple):
    """A home, the folder of its replay, and what was published before it and after."""

    home: Path
    results: Path
    failed: dict[str, str]
    before: dict[str, str]
    after: dict[str, str]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    folder = tmp_path_factory.mktemp("replay")
    home, fleet = folder / "home", folder / "fleet.yaml"
    fleet.write_text("version: 1\nclusters: []\n")
    for number in range(DAYS):
        after = number >= UPGRADE
        for sweeps in (
            changed("follower332" if after else "follower331", "upgraded", lambda _sweeps: None),
            changed("follower331", "in-vain", _told_to_be_332 if after else lambda _sweeps: None),
        ):
            for one in sweeps:
                one.move(timedelta(days=number))
            land_all(home, sweeps)
    by_hand(home, _day(1), fleet, ["fetch_latency"])
    before = pointers(home)
    signatures, _only = replay_rules([], [BUG])
    results = claim_replay(home, {})
    failed = replay(
        spark(), home, results, days_to_replay(home, "2000-01-01", "2100-01-01"), sql_dir(), None, signatures
    )
    return Replayed(home, results, failed, before, {k: v for k, v in pointers(home).items() if "replays" not in k})


def row(story: Replayed, cluster: str, key: str = BUG) -> dict[str, Any]:
    days = [_day(number) for number in range(DAYS)]
    lines = of_signatures(read_timelines(story.results, days), ["fetch_latency"])
    rows = compared(lines, read_timelines(story.home, days))
    return next(one for one in rows if (one["cluster"], one["finding"]) == (cluster, key))


def test_the_day_on_which_it_would_first_have_fired(story):
    found = row(story, "upgraded")
    assert (found["first_fired"], found["last_fired"]) == (_day(0), _day(UPGRADE - 1))
    assert found["published_first"] == _day(1), "only that day had been judged"
    assert [one["ds"] for one in found["days"]] == [_day(number) for number in range(DAYS)]


def test_the_same_signature_before_the_upgrade_and_after_it(story):
    found = row(story, "upgraded")
    assert [(one["state"], one["release"]) for one in found["days"]] == [("fired", "3.3.1")] * UPGRADE + [
        ("clean", "3.3.2")
    ] * (DAYS - UPGRADE)
    assert found["after_upgrade"] == "gone"


def test_still_there_after_the_fixed_release(story):
    found = row(story, "in-vain")
    assert {one["verdict"] for one in found["days"][UPGRADE:]} == {"look_alike"}
    assert found["after_upgrade"] == "still there"
    assert row(story, "in-vain", "symptom fetch_latency (follower)")["first_fired"] == _day(UPGRADE)


def test_nothing_published_moves_and_facts_are_thrown_away(story):
    assert story.failed == {}
    assert story.after == story.before
    assert not list(story.results.glob("facts/*/*/*/*"))


def test_a_replay_that_was_cut_short_goes_on_and_a_day_that_fails_costs_no_other(story, monkeypatch, capsys):
    results = claim_replay(story.home, {})
    assert results.name > story.results.name
    days = [_day(number) for number in range(2)]

    def fail(day: Any, *_more: Any) -> None:
        if day.ds == days[0]:
            raise ValueError("this day cannot be read")
        original(day, *_more)

    from fleet_spark import replay as module

    original = module.write_facts
    monkeypatch.setattr(module, "write_facts", fail)
    failed = replay(spark(), story.home, results, days, sql_dir(), None, ["retriable_errors"])
    assert failed == {days[0]: "ValueError: this day cannot be read"}
    monkeypatch.undo()
    assert replay(spark(), story.home, results, days, sql_dir(), None, ["retriable_errors"]) == {}
    assert f"replay {days[1]}: judged already" in capsys.readouterr().out


def test_the_published_days_as_a_table(story, capsys):
    assert main(["history", "--home", str(story.home), "--from", "2000-01-01", "--to", "2100-01-01"]) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith("upgraded ") and BUG in one]
    assert _day(1) in line
    assert "1/0/0" in line
    arguments = ["--from", "2000-01-01", "--to", "2100-01-01", "--format", "json", "--cluster", "in-vain"]
    assert main(["history", "--home", str(story.home), *arguments]) == 0
    assert {one["cluster"] for one in json.loads(capsys.readouterr().out)} == {"in-vain"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["history", "--from", "2001-01-01", "--to", "2001-01-02"], "nothing is judged from 2001-01-01 to 2001-01-02"),
        (["replay", "--from", "2001-01-01", "--to", "2001-01-02"], "no sweep is stored from 2001-01-01"),
        (["replay", "--from", "2001-01-03", "--to", "2001-01-02"], "2001-01-03 is after 2001-01-02"),
        (["replay", "--from", "2001-01-03", "--to", "2001-01-04", "--advisory", "KAFKA-1"], "no advisory KAFKA-1"),
        (["replay", "--from", "2001-01-03", "--to", "2001-01-04", "--signature", "x"], "no signature x"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, capsys, words, sentence):
    assert main([words[0], "--home", str(tmp_path), *words[1:]]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert sentence in told


def test_which_rules_are_needed():
    assert replay_rules(["fetch_latency"], []) == (["fetch_latency"], None)
    assert replay_rules([], [BUG, "KAFKA-10888"]) == (["fetch_latency", "partition_skew"], [BUG, "KAFKA-10888"])
    assert replay_rules([], ["OPS-LAST-ROLL"]) == ([], ["OPS-LAST-ROLL"]), "no signature shows it: all are judged by"
    with pytest.raises(UsageError, match="no signature x"):
        replay_rules(["x"], [])
    assert recorded_day() == _day(0)
