"""The raw store: whole sweeps or none after a kill, a full disk, a flipped bit or a rival; plain Parquet."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.files import replace_file
from kafka_fleet.store.raw.garbage import remove_orphans
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests, read_rows, sweep_id
from support.builders.sweep_tables import AT, DS, TABLES

ROOT = Path(__file__).resolve().parents[3]


def files(home: Path) -> set[Path]:
    return {path for path in home.rglob("*") if path.is_file()}


def process(home: Path, before: str, wait: bool = True) -> "subprocess.Popen[bytes]":
    """Land TABLES in a process of its own, with a line of code run first."""
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT / 'plugins')!r}, {str(ROOT / 'tests')!r}]\n"
        "import os, signal, resource\nfrom pathlib import Path\nfrom kafka_fleet.store.raw import landing\n"
        "from support.builders.sweep_tables import AT, TABLES\n"
        + before
        + "\nlanding.land(Path(sys.argv[1]), 'payments-eu', AT, TABLES)"
    )
    started = subprocess.Popen([sys.executable, "-c", code, str(home)], stderr=subprocess.PIPE)
    if wait:
        started.wait(60)
    return started


def test_what_is_landed_is_read_back(tmp_path):
    manifest = land(tmp_path, "payments-eu", AT, TABLES)
    (found,), damaged = manifests(tmp_path, DS)
    assert damaged == []
    assert (found.cluster, found.sweep, found.sweep_at) == ("payments-eu", "20261120T100000.123456Z", AT)
    assert found.files == manifest.files
    rows = read_rows(tmp_path, [found], "partitions")
    assert [row["log_end_offset"] for row in rows] == [p * 10 for p in range(50)]
    assert {(row["cluster"], row["sweep_at"], row["topic"]) for row in rows} == {("payments-eu", AT, "заказы")}
    assert "groups" not in found.files  # no rows, no file


def test_any_parquet_reader_finds_documented_columns(tmp_path):
    manifest = land(tmp_path, "payments-eu", AT, TABLES)
    for name, file in manifest.files.items():
        schema = pq.ParquetFile(tmp_path / file.path).schema_arrow
        for found, wanted in zip(schema, raw_schemas()[name], strict=True):
            assert (found.name, found.metadata) == (wanted.name, wanted.metadata)
            assert getattr(found.type, "value_type", found.type) == getattr(wanted.type, "value_type", wanted.type)
        assert schema.metadata[b"about"]
        assert all(field.metadata[b"about"] for field in schema)
    everything = pq.read_table(tmp_path / "raw/partitions")
    assert everything.num_rows == 50
    assert everything.schema.field("read_at").type == pa.timestamp("us", tz="UTC")


def test_the_day_is_that_of_the_sweep_in_utc(tmp_path):
    late = datetime(2026, 11, 21, 0, 30, tzinfo=UTC).astimezone(datetime.fromisoformat("2026-01-01T00:00+05:00").tzinfo)
    assert (
        land(tmp_path, "a", late - timedelta(hours=1), TABLES).files["sweeps"].path.startswith(f"raw/sweeps/ds={DS}/")
    )
    assert sweep_id(late) == "20261121T003000.000000Z"


def test_sweeps_come_in_order_of_cluster_and_time(tmp_path):
    for minutes, cluster in ((20, "b"), (0, "b"), (10, "a"), (0, "a-b")):
        land(tmp_path, cluster, AT + timedelta(minutes=minutes), {"sweeps": TABLES["sweeps"]})
    whole, _ = manifests(tmp_path, DS)
    assert [(m.cluster, m.sweep_at.minute) for m in whole if m.cluster != "a-b"] == [("a", 10), ("b", 0), ("b", 20)]


POINTS = ["fsync:1", "fsync:3", "replace:1", "replace:3", "replace:4"]


@pytest.mark.fault(42)
@pytest.mark.parametrize("point", POINTS)
def test_a_collector_killed_at_any_write_leaves_no_sweep(tmp_path, point):
    step, number = point.split(":")
    fatal = 2 * int(number) - 1 if step == "fsync" else int(number)  # each file syncs itself and its folder
    kill = (
        f"real, calls = os.{step}, [0]\n"
        "def counted(*a):\n"
        "    calls[0] += 1\n"
        f"    if calls[0] == {fatal}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return real(*a)\n"
        f"os.{step} = counted"
    )
    assert process(tmp_path, kill).returncode == -signal.SIGKILL
    assert manifests(tmp_path, DS) == ([], [])
    left = files(tmp_path)
    assert left
    assert remove_orphans(tmp_path, DS, time.time()).removed == 0  # they are young
    land(tmp_path, "payments-eu", AT + timedelta(minutes=10), TABLES)
    assert remove_orphans(tmp_path, DS, AT.timestamp() + 10**9).removed == len(left)
    (healed,), damaged = manifests(tmp_path, DS)
    assert damaged == []
    assert len(read_rows(tmp_path, [healed], "partitions")) == 50


@pytest.mark.fault(43)
def test_a_full_disk_fails_clearly_and_leaves_what_was_there(tmp_path):
    land(tmp_path, "payments-eu", AT - timedelta(minutes=10), TABLES)
    before = {path: path.read_bytes() for path in files(tmp_path)}
    limit = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4500, 4500))"
    failed = process(tmp_path, limit)
    assert failed.returncode == 1
    assert b"OSError: [Errno 27] File too large" in failed.stderr.read()
    assert {path: path.read_bytes() for path in files(tmp_path)} == before


@pytest.mark.fault(43)
def test_a_tmpfs_without_room(tmp_path):
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "x", str(tmp_path)]).returncode:
        os.chmod(tmp_path, 0o500)  # without the right to mount: a folder without the right to write
        with pytest.raises(OSError, match="Permission denied"):
            land(tmp_path, "payments-eu", AT, TABLES)
        return
    try:
        big = {**TABLES, "topics": [{"topic": os.urandom(50).hex(), "partition": 0} for _ in range(5000)]}
        with pytest.raises(OSError, match="No space left"):
            land(tmp_path, "payments-eu", AT, big)
        assert files(tmp_path) == set()
        land(tmp_path, "payments-eu", AT, TABLES)
        assert len(manifests(tmp_path, DS)[0]) == 1
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.fault(49)
@pytest.mark.parametrize("place", [0, 100, -1])
def test_a_flipped_bit_is_damage_and_costs_only_its_sweep(tmp_path, place):
    other = land(tmp_path, "payments-eu", AT + timedelta(minutes=10), TABLES)
    path = tmp_path / land(tmp_path, "payments-eu", AT, TABLES).files["partitions"].path
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    whole, (damaged,) = manifests(tmp_path, DS)
    assert [one.sweep for one in whole] == [other.sweep]
    assert damaged == ("payments-eu", sweep_id(AT), "partitions: the bytes are not those that were written")
    assert remove_orphans(tmp_path, DS, AT.timestamp() + 10**9).removed == 0  # evidence is kept


@pytest.mark.fault(49)
def test_a_lost_or_short_file_is_damage(tmp_path):
    paths = land(tmp_path, "payments-eu", AT, TABLES).files
    (tmp_path / paths["brokers"].path).unlink()
    assert manifests(tmp_path, DS)[1][0].reason == "brokers: No such file or directory"
    (tmp_path / paths["brokers"].path).write_bytes(b"PAR1")
    assert "not those" in manifests(tmp_path, DS)[1][0].reason


@pytest.mark.fault(49)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-20],
        lambda text: "",
        lambda text: "[]",
        lambda text: "null",
        lambda text: text.replace('"cluster"', '"klaster"'),
        lambda text: text.replace("payments-eu", "payments-us"),
        lambda text: text.replace("T10:00:00", "T11:00:00"),
        lambda text: text.replace('"rows"', '"rowz"'),
        lambda text: text.replace("raw/", "\\u0000"),
        lambda text: json.dumps({**json.loads(text), "files": "x"}),
        lambda text: json.dumps({**json.loads(text), "sweep_at": 7}),
    ],
)
def test_a_manifest_that_cannot_be_trusted_is_damage(tmp_path, change):
    land(tmp_path, "payments-eu", AT, TABLES)
    (path,) = (tmp_path / f"raw/manifests/ds={DS}").iterdir()
    path.write_text(change(path.read_text()))
    whole, (damaged,) = manifests(tmp_path, DS)
    assert whole == []
    assert damaged == ("payments-eu", sweep_id(AT), "its manifest cannot be read")


@pytest.mark.fault(44)
def test_two_processes_land_the_same_sweep_and_one_wins(tmp_path):
    started = [process(tmp_path, "", wait=False) for _ in range(3)]
    errors = [one.communicate(timeout=60)[1] for one in started]
    assert sorted(one.returncode for one in started) == [0, 1, 1]
    assert all(b"FileExistsError" in text for one, text in zip(started, errors, strict=True) if one.returncode)
    (only,), damaged = manifests(tmp_path, DS)
    assert damaged == []
    assert len(files(tmp_path)) == len(only.files) + 1


def test_a_landed_sweep_is_immutable(tmp_path):
    land(tmp_path, "payments-eu", AT, TABLES)
    before = {path: path.read_bytes() for path in files(tmp_path)}
    with pytest.raises(FileExistsError):
        land(tmp_path, "payments-eu", AT, {"sweeps": [{"admin_outcome": "failed"}]})
    assert {path: path.read_bytes() for path in files(tmp_path)} == before


@pytest.mark.fault(41, 54)
@pytest.mark.parametrize("name", ["../x", "a/b", "", "A", "a.b", "a" * 64])
def test_a_name_that_is_no_cluster_writes_nothing(tmp_path, name):
    with pytest.raises(ValueError, match="is no cluster id"):
        land(tmp_path, name, AT, TABLES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("tables", "error"),
    [
        ({**TABLES, "partitionz": []}, KeyError),
        ({**TABLES, "topics": [{"topic": "t", "partition": "five"}]}, (pa.ArrowTypeError, pa.ArrowInvalid)),
        ({**TABLES, "topics": [{"topic": 7, "partition": 0}]}, (pa.ArrowTypeError, pa.ArrowInvalid)),
    ],
)
def test_a_value_that_does_not_fit_lands_nothing(tmp_path, tables, error):
    with pytest.raises(error):
        land(tmp_path, "payments-eu", AT, tables)
    assert files(tmp_path) == set()


def test_a_file_is_replaced_whole_and_no_temporary_stays(tmp_path):
    path = tmp_path / "a/b.json"
    replace_file(path, b"1")
    replace_file(path, b"2")
    assert path.read_bytes() == b"2"
    with pytest.raises(FileExistsError):
        replace_file(path, b"3", new=True)
    assert files(tmp_path) == {path}
