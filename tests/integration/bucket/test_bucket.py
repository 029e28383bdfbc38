"""A home in a bucket keeps what one on a disk keeps: whole sweeps, joined days, no secret, faults in a sentence."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.store import bucket
from kafka_fleet.store.files import list_names, replace_file
from kafka_fleet.store.raw import landing
from kafka_fleet.store.raw.compaction import compact, remove_superseded, tidy
from kafka_fleet.store.raw.garbage import remove_orphans
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests, read_rows, sweep_id
from support.builders.sweep_tables import AT, DS, TABLES
from support.homes.bucket_home import CANARY, RIVALS, next_home, rivals
from support.servers.s3_server import BUCKET, KEY


@pytest.fixture
def home(bucket_server):
    return next_home()


def test_what_is_landed_is_read_back(home):
    tables = {**TABLES, "partitions": [{**row, "replicas_count": 1} for row in TABLES["partitions"]]}
    first = land(home, "payments-eu", AT, tables)
    second = land(home, "payments-eu", AT + timedelta(minutes=10), tables)
    whole, damaged = manifests(home, DS)
    assert (whole, damaged) == ([first, second], [])
    rows = read_rows(home, whole, "partitions")
    assert len(rows) == 100
    assert {row["previous_log_end_offset"] for row in rows[:50]} == {None}
    assert [row["previous_log_end_offset"] for row in rows[50:]] == [row["log_end_offset"] for row in rows[:50]]


def test_the_same_sweep_is_landed_once(home):
    first = land(home, "payments-eu", AT, TABLES)
    with pytest.raises(FileExistsError):
        land(home, "payments-eu", AT, {**TABLES, "partitions": []})
    assert manifests(home, DS) == ([first], [])


@pytest.mark.fault(44)
def test_of_rivals_one_lands_the_sweep_and_the_others_change_nothing_of_it(home):
    results = rivals(lambda number: land(home, "payments-eu", AT, TABLES))
    landed = [one for one in results if isinstance(one, landing.Manifest)]
    assert len(landed) == 1
    assert sum(isinstance(one, FileExistsError) for one in results) == RIVALS - 1
    assert manifests(home, DS) == (landed, [])


def test_a_data_file_without_a_manifest_does_not_exist(home, monkeypatch):
    def died(path, content, new=False):
        if path.suffix == ".json":
            raise OSError("the machine is gone")
        replace_file(path, content, new)

    monkeypatch.setattr(landing, "replace_file", died)
    monkeypatch.setattr(type(home), "unlink", lambda path, missing_ok=False: None)  # nor did it clean up
    with pytest.raises(OSError, match="gone"):
        land(home, "payments-eu", AT, TABLES)
    monkeypatch.undo()
    assert len(list_names(home / f"raw/partitions/ds={DS}")) == 1
    assert manifests(home, DS) == ([], [])


def test_orphans_are_removed_when_they_are_old(home):
    kept = land(home, "payments-eu", AT, TABLES)
    left = f"payments-eu.{sweep_id(AT + timedelta(minutes=10))}.parquet"
    replace_file(home / f"raw/topics/ds={DS}/{left}", b"x")
    replace_file(home / f"raw/topics/ds={DS}/left.over.parquet", b"not ours")
    assert remove_orphans(home, DS, time.time()).removed == 0
    assert remove_orphans(home, DS, time.time() + 2 * landing.ORPHAN_SECONDS).removed == 1
    assert list_names(home / f"raw/topics/ds={DS}") == ["left.over.parquet"]
    assert manifests(home, DS) == ([kept], [])


@pytest.mark.fault(49)
def test_a_sweep_that_was_tampered_with_is_damaged(home):
    sweeps = [land(home, "payments-eu", AT + timedelta(minutes=m), TABLES) for m in (0, 10, 20, 30)]
    files = [home / sweep.files["brokers"].path for sweep in sweeps]
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-1] + b"?")
    (home / f"raw/manifests/ds={DS}/payments-eu.{sweeps[2].sweep}.json").write_bytes(b"{")
    whole, damaged = manifests(home, DS)
    assert whole == [sweeps[3]]
    assert [one.sweep for one in damaged] == [one.sweep for one in sweeps[:3]]
    assert [one.reason.partition(": ")[2] for one in damaged[:2]] == [
        "there is no such object",
        "the bytes are not those that were written",
    ]


@pytest.mark.sampled("bucket-days")
def test_a_finished_day_is_joined_and_what_it_stands_for_removed_later(home):
    for minutes in (0, 10, 20, 30):
        land(home, "payments-eu", AT + timedelta(minutes=minutes), TABLES)
    rows = read_rows(home, manifests(home, DS)[0], "partitions")
    assert compact(home, DS) == {"payments-eu": (3, 3)}
    assert compact(home, DS) == {}
    assert remove_superseded(home, DS, time.time()) == 0
    assert read_rows(home, manifests(home, DS)[0], "partitions") == rows
    assert remove_superseded(home, DS, now=datetime.now(UTC).timestamp() + 2 * landing.ORPHAN_SECONDS) == 3 * 4
    whole, damaged = manifests(home, DS)
    assert [one.joined for one in whole] == [True, True, True, False]
    assert damaged == []
    assert read_rows(home, whole, "partitions") == rows
    assert tidy(home, time.time()) == []


def test_trouble_on_the_way_to_the_bucket_is_no_damage(home, monkeypatch):
    land(home, "payments-eu", AT, TABLES)

    def refused(path):
        raise PermissionError("SlowDown")

    monkeypatch.setattr(bucket, "get", refused)
    with pytest.raises(PermissionError):
        manifests(home, DS)


WRONG = {
    "no such bucket": ({}, "s3a://absent/home", 2, "s3a://absent/home: there is no bucket absent"),
    "wrong key": (
        {"AWS_ACCESS_KEY_ID": "AKIDOTHER"},
        f"s3://{BUCKET}/home",
        2,
        f"s3://{BUCKET}/home: the bucket refuses the credentials (InvalidAccessKeyId)",
    ),
    "nobody there": (
        {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"},
        f"s3a://{BUCKET}/home",
        1,
        f'Could not connect to the endpoint URL: "http://127.0.0.1:9/{BUCKET}?list-type=2&prefix=home&max-keys=1',
    ),
    "another scheme": ({}, "hdfs://name/home", 2, "hdfs://name/home: the home is a folder or s3a://bucket/prefix"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_bucket_that_cannot_be_used_is_one_sentence(case, bucket_server, monkeypatch, capsys):
    changed, home, code, sentence = WRONG[case]
    for name, value in changed.items():
        monkeypatch.setenv(name, value)
    assert cli.main(["findings", "--home", home, "--date", DS]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("kafka-fleet: ")
    assert sentence in line
    assert CANARY not in line


def test_a_day_that_is_not_there_is_said_with_the_buckets_name(home, capsys):
    for verb, extra in (("findings", []), ("analyze", [])):
        assert cli.main([verb, "--home", str(home), "--date", DS, *extra]) == 2
        assert str(home) in capsys.readouterr().err


@pytest.mark.fault(56)
def test_a_path_shows_no_secret(home):
    assert CANARY not in f"{home} {home!r} {home.fs!r} {home / 'x'}"


def test_a_connection_stands_for_variables():
    assert bucket.environment_of(KEY, "secret", {"endpoint_url": "http://127.0.0.1:1", "region_name": "r"}) == {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_REGION": "r",
    }
    assert bucket.environment_of(None, None, {}) == {}
