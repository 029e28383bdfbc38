"""A day in a bucket, judged on a Spark cluster by Airflow: the same comes out as on one machine from its disk.

Master, workers, driver and bucket are hosts of their own, with one address each and no way but between them, where
network namespaces can be made; elsewhere all are on loopback, and what is said of hosts is skipped.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from fleet_demo.s3a import s3a_jars
from kafka_fleet.store.bucket import open_home
from kafka_fleet.store.generations import current_generation
from support.airflow_runs.airflow_home import AirflowHome
from support.homes.stored_days import entries, store_day
from support.inspection.canaries import hits
from support.servers.s3_server import BUCKET, KEY, also_at, s3_server
from support.spark_runs.analysed import JUDGED_BY, judged_by_hand
from support.spark_runs.network_hosts import Host, network_hosts, no_hosts
from support.spark_runs.spark_cluster import Cluster, spark_cluster

pytestmark = [
    pytest.mark.sampled,
    pytest.mark.timeout(2700),
    pytest.mark.xdist_group("jobs"),
]  # some five minutes of CPU: about three on two idle cores
BEFORE, DAY = "2026-11-09", "2026-11-10"
CLUSTERS = ("follower331", "follower332")
SECRET, SPARK_SECRET = "canary-2b9e-of-the-bucket", "canary-71c4-of-spark"
NO_HOSTS = no_hosts()  # why no network namespaces can be made here; where they can, nothing is skipped
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
    hosts: Sequence[Host]


def content(home: Path) -> dict[str, bytes]:
    """Published files of a home, by stage and path below their generation."""
    found = {}
    for stage in PARTS:
        folder = home / stage / f"ds={DAY}"
        published = folder / str(current_generation(folder))
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


def on_cluster(airflow: AirflowHome, cluster: Cluster, driver: Host, url: str) -> None:
    """Settings and connections alone: the cluster's address, its settings folder, the bucket, its credentials."""
    extra = {"endpoint_url": url, "region_name": "eu-central-1"}
    bucket = {"conn_type": "aws", "login": KEY, "password": SECRET, "extra": extra}
    spark = {"conn_type": "spark", "host": f"spark://{cluster.master.address}", "port": cluster.port}
    airflow.host = driver
    airflow.environment |= {
        "KAFKA_FLEET_HOME": HOME,
        "SPARK_CONF_DIR": str(cluster.settings),
        "SPARK_LOCAL_IP": driver.address,
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps(spark),
        "AIRFLOW_CONN_KAFKA_FLEET_HOME": json.dumps(bucket),
    }


@contextmanager
def places() -> Iterator[Sequence[Host]]:
    """Master, two workers, driver and bucket: each a host of its own, or all on loopback where there are no hosts."""
    if NO_HOSTS:
        yield [Host()] * 5
        return
    with network_hosts("master", "worker1", "worker2", "driver", "bucket") as hosts:
        yield hosts


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("cluster")
    airflow = AirflowHome(folder, {"version": 1, "clusters": entries(*CLUSTERS)})
    local = content(judged_by_hand(BEFORE, DAY, *CLUSTERS))  # before this process has the bucket's secret
    commands: set[str] = set()
    over = threading.Event()
    settings = tmp_path_factory.mktemp("settings") / "spark"
    with ExitStack() as stack:
        master, first, second, driver, bucket = hosts = stack.enter_context(places())
        server = stack.enter_context(s3_server())
        url = stack.enter_context(also_at(server, bucket.listens(0)))
        cluster = stack.enter_context(
            spark_cluster(folder / "spark", settings, master, (first, second), SPARK_SECRET, s3a_jars())
        )
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in server.variables(SECRET).items():
            patch.setenv(name, value)
        home = open_home(HOME)
        for day in (BEFORE, DAY):
            store_day(home, day, *CLUSTERS)
        watching = threading.Thread(target=watch, args=(commands, over), daemon=True)
        watching.start()
        on_cluster(airflow, cluster, driver, url)
        states, printed = airflow.dag_test("fleet_health", DAY, signatures=JUDGED_BY, notify="never")
        over.set()
        watching.join(30)
        found = content(home)
        yield Story(states, printed, found, local, commands, cluster.executors(), cluster.recorded(), folder, hosts)


def test_every_task_succeeds(story):
    for task in ("coverage", "analyze", "letters", "publish"):
        assert story.states[(task, None)] == "success", story.printed[-4000:]
    assert all(story.states[("render", name)] == "success" for name in CLUSTERS)


@pytest.mark.fault(60, 78)
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
    assert all(len(folders) == 1 for folders in story.executors.values()), "one for the day, on each"


# reason: a machine without the right to make network namespaces has one host, and there is nothing to tell apart
@pytest.mark.skipif(bool(NO_HOSTS), reason=NO_HOSTS)
@pytest.mark.fault(78)
def test_every_executor_was_on_another_host_than_the_driver(story):
    _master, first, second, driver, _bucket = story.hosts
    started = [event for event in story.events if event["Event"] == "SparkListenerEnvironmentUpdate"]
    assert [event["Spark Properties"]["spark.driver.host"] for event in started] == [driver.address]
    assert {event["Spark Properties"]["spark.authenticate"] for event in started} == {"true"}
    ended = [event for event in story.events if event["Event"] == "SparkListenerTaskEnd"]
    assert {event["Task Info"]["Host"] for event in ended} == {first.address, second.address}


def test_code_and_sql_come_with_the_job_and_no_executor_starts_python(story):
    lines = [line for line in story.printed.splitlines() if "code and SQL of kafka-fleet-" in line]
    assert len(lines) == 1
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
    assert hits([SECRET, SPARK_SECRET], [story.folder], {**printed, **story.bucket}) == []
