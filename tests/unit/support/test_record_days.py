"""The recorder of judged days: what it keeps, and what it refuses to keep."""

import socket
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from kafka_fleet.store.raw.manifests import manifests
from support.homes.corpus import labels
from support.homes.judged_days import open_day, recorded_days
from support.homes.recorded import recorded_day, write_home
from support.live import record_days

DAYS = recorded_days()


def test_every_day_has_one_scenario() -> None:
    recorded = [name for names in record_days.SCENARIOS.values() for name in names]
    assert len(recorded) == len(set(recorded))
    assert set(recorded) <= set(DAYS)
    assert set(DAYS) - set(recorded) <= set(labels()), "the others are in the corpus"


def test_a_day_of_the_corpus_is_swept_already(tmp_path: Path) -> None:
    for name, swept in record_days.swept_days(["keyed323"]):
        assert name == "keyed323"
        assert record_days.alone(swept, name, tmp_path / "alone").startswith("2026-11-")
    folders = (tmp_path / "alone").glob("raw/manifests/*/*.json")
    assert {path.name.partition(".")[0] for path in folders} == {"keyed323"}


def test_logs_of_brokers_are_not_named_as_on_this_machine(tmp_path: Path) -> None:
    page = tmp_path / "page.json"
    page.write_text(f'"{tempfile.gettempdir()}/kafka-corpus-p1_b/broker-1/data"', encoding="utf-8")
    record_days.unnamed(tmp_path)
    assert page.read_text(encoding="utf-8") == '"/var/lib/kafka/broker-1/data"'


def test_a_name_that_is_none_records_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert record_days.main(["nobody"]) == 2
    assert "no such day: nobody" in capsys.readouterr().err


def test_a_cluster_is_judged_without_those_swept_beside_it(tmp_path: Path) -> None:
    write_home(tmp_path / "swept", ["follower331", "idle331"])
    assert record_days.alone(tmp_path / "swept", "idle331", tmp_path / "alone") == recorded_day()
    found, broken = manifests(tmp_path / "alone", recorded_day())
    assert {one.cluster for one in found} == {"idle331"}
    assert not broken


@pytest.mark.parametrize("name", ["netns312", "killed282", "steady411", "away411"])
def test_a_day_is_kept_that_shows_what_it_was_recorded_for(name: str, tmp_path: Path) -> None:
    open_day(DAYS[name], tmp_path)
    assert record_days.shows(DAYS[name], tmp_path) is None


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("killed282", {"finding": "KAFKA-12964", "verdict": "confirmed"}, "KAFKA-12964 is exposed"),
        ("netns312", {"finding": None, "verdict": "exposed"}, "KAFKA-9648 was measured"),
        ("steady411", {"finding": "KAFKA-1", "verdict": "confirmed"}, "KAFKA-1 is not there"),
        ("away411", {"verdict": "exposed"}, "it was not reached"),
        ("steady411", {"verdict": "unknown"}, "it was reached"),
    ],
)
def test_another_day_is_not_kept(name: str, change: dict[str, str], fault: str, tmp_path: Path) -> None:
    open_day(DAYS[name], tmp_path)
    assert (record_days.shows(replace(DAYS[name], **change), tmp_path) or "").startswith(fault)


def test_what_names_this_machine_is_not_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.json"
    page.write_text("mktemp -d /var/tmp/kafka-capture; the jvm of broker 1 on 127.0.0.1", encoding="utf-8")
    assert record_days.of_this_machine(tmp_path) == []
    for text in (str(Path.home()), str(record_days.ROOT), f"on {socket.gethostname()}."):
        page.write_text(f"log.dirs={text}" if text.startswith("/") else text, encoding="utf-8")
        assert record_days.of_this_machine(tmp_path), text
