"""A whole day analysed: the same bytes however often, in what order and on how many cores; a kill mixes nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from analysed import Analysed, Backwards, analyse, analysed, spark
from finding_shape import assert_contract
from kafka_fleet.store.generations import current
from recorded import recorded_day, write_home

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
PROGRAM = str(Path(sys.executable).with_name("kafka-fleet"))
CLUSTERS = ["follower331", "idle331"]
HALF = ["fetch_latency", "offset_rewind", "partition_skew", "unclean_restart"]  # they read most of the fact tables


@pytest.fixture(scope="module")
def day() -> Analysed:
    return analysed()


def test_findings_keep_the_contract(day: Analysed) -> None:
    findings = json.loads(day.outputs()["findings.json"])
    assert_contract(findings, day.ds)
    clusters = {one["cluster"] for one in findings}
    assert {path for path in day.outputs() if path.startswith("clusters/")} == {f"clusters/{c}.json" for c in clusters}


def test_each_judgement_is_there_in_brief(day: Analysed) -> None:
    for cluster in {"follower331", "idle331"}:
        short, dossier = json.loads(day.outputs()[f"verdicts/{cluster}.json"]), day.dossier(cluster)
        assert short["reached"]
        assert short["states"] == {one["signature"]: one["state"] for one in dossier["signatures"]}
        kept = [one for one in day.findings(cluster) if one["verdict"] != "not_affected"]
        assert [(row["advisory"], row["verdict"]) for row in short["rows"]] == [
            (one["advisory"], one["verdict"]) for one in kept
        ]
    rests = {row["advisory"]: row["basis"] for row in json.loads(day.outputs()["verdicts/follower331.json"])["rows"]}
    assert any("replica.selector.class" in text for text in rests["KAFKA-14334"])


@pytest.mark.fault(46, 60)
def test_files_in_another_order_and_the_ways_of_large_days_give_the_same(
    day: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleet_spark.ways.FEW_ROWS", 0)  # several partitions, plans made anew, expressions compiled
    settings = {"spark.sql.shuffle.partitions": "3", "spark.sql.files.openCostInBytes": "0"}
    kept = {name: spark().conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            spark().conf.set(name, value)
        again = analyse(day.home, day.ds, Backwards, signatures=HALF)
    finally:
        for name, value in kept.items():
            spark().conf.set(name, str(value))
    assert again.generation != day.generation
    for file in ("findings.json", "signatures.json"):
        found, expected = (
            [one for one in json.loads(which.outputs()[file]) if one["signature"] in HALF] for which in (again, day)
        )
        assert len(found) > 50
        assert found == expected


@pytest.mark.fault(60)
def test_rows_in_another_order_give_the_same_findings(day: Analysed) -> None:
    renamed = [{**one, "cluster": "follower331"} for one in day.findings("shuffled")]
    assert renamed == day.findings("follower331")


@pytest.mark.fault(49)
def test_a_damaged_sweep_is_left_out_and_named(day: Analysed) -> None:
    coverage = day.dossier("damaged")["coverage"]
    assert coverage["sweeps"] == day.dossier("follower331")["coverage"]["sweeps"] - 1
    assert [text for text in coverage["not_measured"] if "the bytes are not those that were written" in text]


def analyze(home: Path, kill_at: str | None = None) -> int:
    """Run `kafka-fleet analyze` on one core, in another place.

    Kill it and all it started once it prints a line with the given text.
    """
    command = [PROGRAM, "analyze", "--home", str(home), "--date", recorded_day()]
    elsewhere = {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "4711"}
    # where i is no small I, and local[*] is one core; the machine's other cores may help the JVM itself
    elsewhere["JAVA_TOOL_OPTIONS"] = "-Duser.language=tr -Duser.country=TR -XX:ActiveProcessorCount=1"
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **elsewhere},
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if kill_at is not None and kill_at in line:
                time.sleep(0.1)
                os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
    assert kill_at is None or code == -signal.SIGKILL, "".join(said[-20:])
    assert kill_at is not None or code == 0, "".join(said[-20:])
    return code


def printed(home: Path) -> subprocess.CompletedProcess[str]:
    """What `kafka-fleet findings` says of the day."""
    command = [PROGRAM, "findings", "--home", str(home), "--date", recorded_day(), "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.fault(42, 58, 60)
def test_a_killed_analysis_publishes_nothing_and_the_next_one_heals(day: Analysed, tmp_path: Path) -> None:
    write_home(tmp_path, CLUSTERS)
    analyze(tmp_path, kill_at=" intervals: ")
    nothing = printed(tmp_path)
    assert nothing.returncode == 2
    assert "run analyze first" in nothing.stderr

    analyze(tmp_path)
    healed = printed(tmp_path)
    expected = [one for cluster in CLUSTERS for one in day.findings(cluster)]
    # on one core, in another locale and time zone, beside fewer clusters, after a kill
    assert json.loads(healed.stdout) == expected
    pointers = list(tmp_path.glob(f"*/**/ds={day.ds}/_current.json"))
    assert {current(pointer.parent) for pointer in pointers} == {"g0002"}
    for cluster in CLUSTERS:
        path = tmp_path / f"findings/ds={day.ds}/g0002/clusters/{cluster}.json"
        assert path.read_bytes() == day.outputs()[f"clusters/{cluster}.json"]
