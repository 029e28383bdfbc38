"""A whole day analysed: the same bytes however often, in what order, on how many cores and beside whom."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fleet_spark.facts import fact_queries
from fleet_spark.judge import canonical
from fleet_spark.parquet import read_footer
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.documents.finding import parsed_findings
from support.homes.recorded import recorded_day, write_home
from support.homes.stored_days import pointers, published
from support.inspection.finding_shape import assert_contract
from support.spark_runs.analysed import Analysed, Backwards, analyse, analysed, spark

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


@pytest.mark.sampled("analyze-ways")
@pytest.mark.fault(46, 60)
def test_files_in_another_order_and_the_ways_of_large_days_give_the_same(
    day: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    # several partitions, plans made anew, expressions compiled
    monkeypatch.setattr("fleet_spark.query_profiles.FEW_ROWS", 0)
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
    nameless = [
        [{**one, "cluster": "", "fingerprint": ""} for one in day.findings(name)]
        for name in ("shuffled", "follower331")
    ]
    assert nameless[0] == nameless[1]


@pytest.mark.fault(49)
def test_a_damaged_sweep_is_left_out_and_named(day: Analysed) -> None:
    coverage = day.dossier("damaged")["coverage"]
    assert coverage["sweeps"] == day.dossier("follower331")["coverage"]["sweeps"] - 1
    assert [text for text in coverage["not_measured"] if "the bytes are not those that were written" in text]


def started(home: Path, *more: str, **elsewhere: str) -> subprocess.Popen[str]:
    """`kafka-fleet analyze` in a group of its own, so that all it starts can be stopped with it."""
    return subprocess.Popen(
        [PROGRAM, "analyze", "--home", str(home), "--date", recorded_day(), *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **elsewhere},
        start_new_session=True,
    )


@contextmanager
def paused(home: Path, at: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    """An analysis that stands still, with all that it started, from the first line on that has the given text."""
    with started(home, *more) as process:
        assert process.stderr is not None
        try:
            said = next((line for line in process.stderr if at in line), None)
            assert said is not None, "it ended before"
            os.killpg(process.pid, signal.SIGSTOP)
            yield process
        finally:
            with suppress(ProcessLookupError):  # it has ended, as it should
                os.killpg(process.pid, signal.SIGKILL)


def analyze_elsewhere(home: Path) -> None:
    """Run `kafka-fleet analyze` to its end on one core, in another place."""
    elsewhere = {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "4711"}
    # where i is no small I, and local[*] is one core; the machine's other cores may help the JVM itself
    elsewhere["JAVA_TOOL_OPTIONS"] = "-Duser.language=tr -Duser.country=TR -XX:ActiveProcessorCount=1"
    with started(home, **elsewhere) as process:
        _out, said = process.communicate()
    assert process.returncode == 0, said[-3000:]


def printed(home: Path) -> subprocess.CompletedProcess[str]:
    """What `kafka-fleet findings` says of the day."""
    command = [PROGRAM, "findings", "--home", str(home), "--date", recorded_day(), "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows(home: Path, table: str, generation: str) -> list[str]:
    """A fact table's rows of CLUSTERS, in an order of their own."""
    found = read_footer(home / f"facts/{table}/ds={recorded_day()}" / generation).read().to_pylist()
    return sorted(str(sorted(row.items())) for row in found if row["cluster"] in CLUSTERS)


@pytest.mark.sampled("analyze-rivals")
@pytest.mark.fault(44, 45, 60)
def test_of_two_analyses_at_once_the_later_is_followed_and_the_earlier_ends_red(day: Analysed, tmp_path: Path) -> None:
    write_home(tmp_path, CLUSTERS)
    with paused(tmp_path, " broker_intervals: ", "--signature", "fetch_latency") as earlier:
        nothing = printed(tmp_path)
        assert nothing.returncode == 2
        assert "run analyze first" in nothing.stderr
        analyze_elsewhere(tmp_path)
        followed = pointers(tmp_path)
        os.killpg(earlier.pid, signal.SIGCONT)
        _out, said = earlier.communicate(timeout=600)
        assert earlier.returncode == 1
    sentence = "g0002 is published, g0001 is older and stays unpublished"
    assert [line.startswith(f"analyze of {day.ds}: ") for line in said.splitlines() if sentence in line] == [True]
    assert "Traceback" not in said
    assert "spark-submit ended with 1; the day's earlier results stay" in said

    assert pointers(tmp_path) == followed
    assert set(followed.values()) == {"g0002"}
    assert {path.split("/")[0] for path in followed} == {"facts", "signatures", "findings"}
    # on one core, in another locale and time zone, beside fewer clusters, beside a rival
    expected = [one for cluster in CLUSTERS for one in day.findings(cluster)]
    assert json.loads(printed(tmp_path).stdout) == expected
    found = published(tmp_path, "findings", day.ds)
    assert found["findings.json"] == canonical(parsed_findings(expected))
    for path in [path for path in day.outputs() if path.count("/") and Path(path).stem in CLUSTERS]:
        assert found[path] == day.outputs()[path], path
    tables = [path.split("/")[1] for path in followed if path.startswith("facts/")]
    assert set(tables) == set(fact_queries(sql_dir()))
    for table in tables:
        assert rows(tmp_path, table, "g0002") == rows(day.home, table, day.generation), table
