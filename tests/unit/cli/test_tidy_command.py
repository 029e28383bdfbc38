"""`kafka-fleet tidy`: what it deletes, what it says and tells, and its exit codes."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.store.raw import trusted_clock
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.trusted_clock import Trusted
from support.builders.retained_days import CLUSTERS, DAYS, LATER, judge
from support.servers.mail_server import mail_server

KEEP, OWNERS, OWNER = "KAFKA_FLEET_KEEP_RAW_DAYS", "KAFKA_FLEET_PLATFORM_OWNERS", "platform@example.org"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six days, judged but for the first and joined but for the last; all of them are old by the clock."""
    home = tmp_path / "home"
    for ds in DAYS:
        for number in range(3):
            at = datetime.fromisoformat(ds).replace(tzinfo=UTC) + timedelta(hours=7 * number)
            for cluster in CLUSTERS:
                land(home, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})
        if ds != DAYS[0]:
            judge(home, ds)
        if ds != DAYS[-1]:
            compact(home, ds, date.fromisoformat(DAYS[-1]))
    for module in ("compaction", "retention"):
        monkeypatch.setattr(f"kafka_fleet.store.raw.{module}.trusted_time", lambda home: Trusted(LATER, None))
    for name in (KEEP, OWNERS, "KAFKA_FLEET_SMTP", "AIRFLOW_CONN_SMTP_DEFAULT"):
        monkeypatch.delenv(name, raising=False)
    return home


def raw(home: Path, ds: str) -> set[str]:
    return {path.name for path in (home / f"raw/sweeps/ds={ds}").glob("*.parquet")}


def tidy(home: Path) -> int:
    return main(["tidy", "--home", str(home)])


def test_joined_sweeps_lose_their_own_files_and_no_day_goes_without_the_setting(home, capsys):
    assert [len(raw(home, ds)) for ds in DAYS] == [8, 8, 8, 8, 8, 6]
    assert tidy(home) == 0
    assert [len(raw(home, ds)) for ds in DAYS] == [4, 4, 4, 4, 4, 6], "the joined file and the day's last sweep of each"
    removed = 2 * 2 * len(CLUSTERS)  # of two sweeps, data and manifest
    said = capsys.readouterr()
    assert said.out.splitlines() == [f"{ds}: {removed} files removed that no reader needs" for ds in DAYS[:-1]]
    assert said.err == ""


def test_with_the_setting_old_judged_days_go_too_and_the_platform_owners_hear_once_of_the_others(
    home, box, monkeypatch, capsys
):
    monkeypatch.setenv(KEEP, "2")
    monkeypatch.setenv(OWNERS, f"{OWNER}, nobody")
    with mail_server(box) as port:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        monkeypatch.setenv("KAFKA_FLEET_SMTP", json.dumps({"host": "127.0.0.1", "port": port, "extra": extra}))
        assert [tidy(home), tidy(home)] == [0, 0]
    assert raw(home, DAYS[1]) == set()
    assert all(raw(home, ds) for ds in (DAYS[0], *DAYS[3:]))
    said = capsys.readouterr()
    assert f"{DAYS[0]} stays: it is not judged" in said.out
    assert "'nobody' is no mail address" in said.err
    ((to, message),) = box.received
    assert (to, message["Subject"].strip()) == (
        OWNER,
        "Kafka Fleet Health: old raw of 1 days is not deleted, for these days are not judged as a whole",
    )
    assert f"{DAYS[0]}: it is not judged" in " ".join(message.get_body(("plain",)).get_content().split())


@pytest.mark.parametrize(
    ("smtp", "code", "sentence"),
    [
        (json.dumps({"host": "127.0.0.1", "port": 9, "extra": {"from_email": "fleet@example.org"}}), 1, "not sent yet"),
        (None, 2, "KAFKA_FLEET_SMTP"),
    ],
)
def test_where_the_owners_cannot_be_told_the_days_are_gone_and_it_is_no_success(
    home, monkeypatch, capsys, smtp, code, sentence
):
    monkeypatch.setenv(KEEP, "2")
    monkeypatch.setenv(OWNERS, OWNER)
    if smtp is not None:
        monkeypatch.setenv("KAFKA_FLEET_SMTP", smtp)
    assert tidy(home) == code
    assert sentence in "".join(capsys.readouterr())
    assert raw(home, DAYS[1]) == set()


def test_without_owners_nobody_is_told_and_that_is_said(home, monkeypatch, capsys):
    monkeypatch.setenv(KEEP, "2")
    assert tidy(home) == 0
    assert f"{OWNERS} names nobody who could be told" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["never", "1"])
def test_a_setting_that_is_wrong_is_bad_input_and_deletes_no_day(home, monkeypatch, capsys, value):
    monkeypatch.setenv(KEEP, value)
    assert tidy(home) == 2
    assert f"{KEEP} is '{value}': a number of days, 2 at least" in capsys.readouterr().err
    assert [len(raw(home, ds)) for ds in DAYS] == [4, 4, 4, 4, 4, 6]


def test_a_clock_that_is_ahead_deletes_nothing_and_is_named(home, monkeypatch, capsys):
    monkeypatch.setenv(KEEP, "2")
    for module in ("compaction", "retention"):
        monkeypatch.setattr(f"kafka_fleet.store.raw.{module}.trusted_time", trusted_clock.trusted_time)
    assert tidy(home) == 0
    assert "nothing is deleted: the clock says" in capsys.readouterr().out
    assert [len(raw(home, ds)) for ds in DAYS] == [8, 8, 8, 8, 8, 6]


def test_a_pointer_that_is_damaged_is_a_sentence(home, monkeypatch, capsys):
    monkeypatch.setenv(KEEP, "2")
    (home / f"findings/ds={DAYS[1]}/_current.json").write_text("{")
    assert tidy(home) == 2
    assert "kafka-fleet: " in capsys.readouterr().err
