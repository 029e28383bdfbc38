"""A home in a bucket keeps the promises of one on a disk: whole sweeps, one winner among rivals, no way back."""

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from kafka_fleet import cli
from kafka_fleet.report.outbox import Mail, Outbox, OutboxError, Recipient
from kafka_fleet.store import bucket, landing
from kafka_fleet.store.bucket import open_home
from kafka_fleet.store.compaction import compact, remove_superseded, tidy
from kafka_fleet.store.files import names, replace_file, update_file
from kafka_fleet.store.generations import POINTER, Overtaken, claim, current, publish
from kafka_fleet.store.landing import land, remove_orphans
from kafka_fleet.store.manifests import manifests, read_rows
from s3_server import BUCKET, KEY, s3_server
from test_landing import AT, DS, TABLES

RIVALS = 8
CANARY = "canary-5f1c-not-to-be-seen"


@pytest.fixture(scope="module")
def server():
    with s3_server() as found:
        yield found


@pytest.fixture
def variables(server, monkeypatch):
    for name, value in server.variables(CANARY).items():
        monkeypatch.setenv(name, value)


_prefixes = itertools.count()


@pytest.fixture
def home(variables):
    return open_home(f"s3a://{BUCKET}/team/home{next(_prefixes)}")


def rivals(call):
    """What each of RIVALS threads got: a value, or the error it met."""

    def attempt(number):
        try:
            return call(number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(RIVALS) as pool:
        return list(pool.map(attempt, range(RIVALS)))


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
    assert len(names(home / f"raw/partitions/ds={DS}")) == 1
    assert manifests(home, DS) == ([], [])


def test_orphans_are_removed_when_they_are_old(home):
    kept = land(home, "payments-eu", AT, TABLES)
    replace_file(home / f"raw/topics/ds={DS}/left.over.parquet", b"x")
    assert remove_orphans(home, DS) == 0
    assert remove_orphans(home, DS, now=datetime.now(UTC).timestamp() + 2 * landing.ORPHAN_SECONDS) == 1
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


def test_a_finished_day_is_joined_and_what_it_stands_for_removed_later(home):
    for minutes in (0, 10, 20, 30):
        land(home, "payments-eu", AT + timedelta(minutes=minutes), TABLES)
    rows = read_rows(home, manifests(home, DS)[0], "partitions")
    assert compact(home, DS) == {"payments-eu": (3, 3)}
    assert compact(home, DS) == {}
    assert remove_superseded(home, DS) == 0
    assert read_rows(home, manifests(home, DS)[0], "partitions") == rows
    assert remove_superseded(home, DS, now=datetime.now(UTC).timestamp() + 2 * landing.ORPHAN_SECONDS) == 3 * 4
    whole, damaged = manifests(home, DS)
    assert [one.joined for one in whole] == [True, True, True, False]
    assert damaged == []
    assert read_rows(home, whole, "partitions") == rows
    assert tidy(home) == []


def test_trouble_on_the_way_to_the_bucket_is_no_damage(home, monkeypatch):
    land(home, "payments-eu", AT, TABLES)

    def refused(path):
        raise PermissionError("SlowDown")

    monkeypatch.setattr(bucket, "get", refused)
    with pytest.raises(PermissionError):
        manifests(home, DS)


def test_no_two_runs_of_a_day_have_the_same_generation(home):
    found = rivals(lambda number: [claim(home, DS) for _ in range(3)])
    assert sorted(itertools.chain(*found)) == [f"g{n:04d}" for n in range(1, 3 * RIVALS + 1)]
    assert claim(home, "2026-11-21") == "g0001"


@pytest.mark.fault(45)
def test_an_older_generation_does_not_overwrite_a_newer_one(home):
    folder = home / f"findings/ds={DS}"
    assert current(folder) is None
    for generation in ("g0001", "g0003", "g0003"):
        publish(folder, generation)
    with pytest.raises(Overtaken, match="g0003 is published, g0002 is older"):
        publish(folder, "g0002")
    assert current(folder) == "g0003"
    (folder / POINTER).write_bytes(b"[]")
    with pytest.raises(ValueError, match="names no generation"):
        publish(folder, "g0004")


@pytest.mark.fault(44, 45)
def test_of_rivals_the_latest_generation_stays_published(home):
    folder = home / f"findings/ds={DS}"
    found = rivals(lambda number: publish(folder, f"g{number + 1:04d}"))
    assert current(folder) == f"g{RIVALS:04d}"
    assert all(one is None or isinstance(one, Overtaken) for one in found)


def test_no_change_of_rivals_is_lost(home):
    def add_one(found):
        return str(int(found or 0) + 1).encode()

    assert rivals(lambda number: [update_file(home / "n", add_one, home) for _ in range(3)]) == [[None] * 3] * RIVALS
    assert (home / "n").read_bytes() == str(3 * RIVALS).encode()


def test_a_change_that_fails_leaves_the_file(home):
    replace_file(home / "kept", b"1")
    with pytest.raises(ZeroDivisionError):
        update_file(home / "kept", lambda found: b"%d" % (1 // 0), home)
    assert (home / "kept").read_bytes() == b"1"


def test_one_of_rivals_claims_a_recipient(home):
    address, now = "a@example.org", AT
    mail = Mail("d", "f", "<1@example.org>", "date", "sender", "subject", "", "", recipients={address: Recipient()})
    boxes = [Outbox(home, DS, "payments-eu", timedelta(minutes=10)) for _ in range(RIVALS)]
    boxes[0].change(lambda mails: mails.append(mail))
    won = [one for one in rivals(lambda number: boxes[number].claim(mail, address, now)) if one is not None]
    assert [(one.state, one.claims) for one in won] == [("claimed", 0)]
    assert boxes[0].offer(mail, address, won[0])
    boxes[0].settle(mail, address, won[0], "sent", "", now)
    assert boxes[1].claim(mail, address, now + timedelta(days=1)) is None
    assert boxes[1].read()[0].recipients[address].state == "sent"
    assert names(home / f"outbox/ds={DS}") == ["payments-eu.json"]
    (home / f"outbox/ds={DS}/payments-eu.json").write_bytes(b"{")
    with pytest.raises(OutboxError, match="nothing is sent"):
        boxes[0].claim(mail, address, now)


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
def test_a_bucket_that_cannot_be_used_is_one_sentence(case, variables, monkeypatch, capsys):
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


def test_the_outbox_is_readable_json(home):
    box = Outbox(home, DS, "payments-eu", timedelta(minutes=10))
    box.change(lambda mails: None)
    assert json.loads(box.path.read_bytes()) == {
        "schema_version": 1,
        "ds": DS,
        "cluster": "payments-eu",
        "mails": [],
    }
