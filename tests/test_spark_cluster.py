"""A day in a bucket, judged on a Spark cluster by Airflow: the same comes out as on one machine from its disk."""

import json
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from airflow_home import AirflowHome
from analysed import JUDGED_BY, judged_by_hand
from canaries import hits
from fleet_demo.s3a import s3a_jars
from kafka_fleet.store.bucket import open_home
from kafka_fleet.store.generations import current
from s3_server import BUCKET, KEY, S3Server, s3_server
from spark_cluster import Cluster, spark_cluster
from stored_days import entries, store_day

pytestmark = pytest.mark.timeout(2700)  # some five minutes of CPU: about three on two idle cores
BEFORE, DAY = "2026-11-09", "2026-11-10"
CLUSTERS = ("follower331", "follower332")
SECRET = "canary-2b9e-of-the-bucket"
HOME = f"s3a://{BUCKET}/kafka/home"
PARTS = ("findings", "signatures", "reports")


class Story(NamedTuple):
    """A run on the cluster, and the same day on one machine; all files by their path."""

    states: dict[tuple[str, str | None], str]
    printed: str
    bucket: dict[str, bytes]
    local: dict[str, bytes]
    commands: set[str]
    executors: dict[str, list[Path]]
    events: list[dict[str, Any]]
    folder: Path


def content(home: Path) -> dict[str, bytes]:
    """Published files of a home, by stage and path below their generation."""
    found = {}
    for stage in PARTS:
        folder = home / stage / f"ds={DAY}"
        published = folder / str(current(folder))
        for pattern in ("*.*", "clusters/*.json"):
            found |= {f"{stage}/{path.parent.name}/{path.name}": path.read_bytes() for path in published.glob(pattern)}
    return found


def watch(seen: set[str], over: threading.Event) -> None:
    """Note the command line of every process that this one starts, directly or not."""
    me = psutil.Process()
    while not over.wait(0.5):
        for process in me.children(recursive=True):
            try:
                seen.add(" ".join(process.cmdline()))
            except psutil.NoSuchProcess:
                continue


def on_cluster(airflow: AirflowHome, cluster: Cluster, server: S3Server) -> None:
    """Settings and connections alone: the cluster's address, its settings folder, the bucket, its credentials."""
    extra = {"endpoint_url": server.url, "region_name": "eu-central-1"}
    bucket = {"conn_type": "aws", "login": KEY, "password": SECRET, "extra": extra}
    spark = {"conn_type": "spark", "host": "spark://127.0.0.1", "port": cluster.port}
    airflow.environment |= {
        "KAFKA_FLEET_HOME": HOME,
        "SPARK_CONF_DIR": str(cluster.settings),
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps(spark),
        "AIRFLOW_CONN_KAFKA_FLEET_HOME": json.dumps(bucket),
    }


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("cluster")
    airflow = AirflowHome(folder, {"version": 1, "clusters": entries(*CLUSTERS)})
    local = content(judged_by_hand(BEFORE, DAY, *CLUSTERS))  # before this process has the bucket's secret
    commands: set[str] = set()
    over = threading.Event()
    with s3_server() as server, spark_cluster(folder / "spark") as cluster, pytest.MonkeyPatch.context() as patch:
        for name, value in server.variables(SECRET).items():
            patch.setenv(name, value)
        home = open_home(HOME)
        for day in (BEFORE, DAY):
            store_day(home, day, *CLUSTERS)
        cluster.configure(sys.executable, s3a_jars())
        watching = threading.Thread(target=watch, args=(commands, over), daemon=True)
        watching.start()
        on_cluster(airflow, cluster, server)
        states, printed = airflow.dag_test("fleet_health", DAY, signatures=JUDGED_BY, notify="never")
        over.set()
        watching.join(30)
        log = [path for path in cluster.events.iterdir() if not path.name.startswith(".")]
        events = [json.loads(line) for path in log for line in path.read_text().splitlines()]
        found = Story(
            states, printed, content(home), local, commands, cluster.executors(), events, folder
        )  # fmt: skip
    return found


def test_every_task_succeeds(story):
    for task in ("coverage", "facts", "judge", "letters", "publish"):
        assert story.states[(task, None)] == "success", story.printed[-4000:]
    assert all(story.states[("render", name)] == "success" for name in CLUSTERS)


@pytest.mark.fault(60)
def test_findings_dossiers_and_letters_are_those_of_one_machine(story):
    named = [f"findings/clusters/{name}.json" for name in CLUSTERS]
    named += [f"reports/g0001/{name}.{kind}" for name in CLUSTERS for kind in ("html", "txt")]
    assert {*named, "findings/g0001/findings.json", "signatures/g0001/signatures.json"} <= set(story.bucket)
    assert story.bucket == story.local
    verdicts = {
        row["cluster"]: row["verdict"]
        for row in json.loads(story.bucket["findings/g0001/findings.json"])
        if row["advisory"] == "KAFKA-14334"
    }
    assert verdicts == {"follower331": "confirmed", "follower332": "not_affected"}


def test_executors_of_both_workers_did_the_work(story):
    ended = [event for event in story.events if event["Event"] == "SparkListenerTaskEnd"]
    ids = {event["Task Info"]["Executor ID"] for event in ended}
    assert {"0", "1"} <= ids
    assert "driver" not in ids
    assert all(event["Task End Reason"]["Reason"] == "Success" for event in ended)
    assert all(len(folders) == 2 for folders in story.executors.values()), "one for facts, one for judge, on each"


def test_code_and_sql_come_with_the_job_and_no_executor_starts_python(story):
    lines = [line for line in story.printed.splitlines() if "code and SQL of kafka-fleet-" in line]
    assert len(lines) == 2
    submitted = [one for one in story.commands if "spark/submit.py" in one and "--py-files" in one]
    assert submitted
    assert not any("--sql" in one for one in submitted)
    (python,) = {
        event["Spark Properties"]["spark.pyspark.python"]
        for event in story.events
        if event["Event"] == "SparkListenerEnvironmentUpdate"
    }
    assert not Path(python).exists()


@pytest.mark.fault(56)
def test_the_secret_is_in_no_log_database_command_line_or_object(story):
    assert any("spark/submit.py" in one for one in story.commands), "the watch saw the submit"
    assert any("CoarseGrainedExecutorBackend" in one for one in story.commands), "and the executors"
    files = [path for path in story.folder.rglob("*") if path.is_file()]
    names = {path.name for path in files}
    assert {"airflow.db", "master.log", "worker1.log", "stderr"} <= names
    printed = {"printed": story.printed, "commands": "\n".join(story.commands)}
    assert hits([SECRET], [story.folder], {**printed, **story.bucket}) == []
