"""A Spark that is on other hosts: what a submit gives it, and how a job ends that gets no executor there."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fleet_demo.processes import end, free_port, spawn
from fleet_spark.executors import WAIT
from support.spark_runs.network_hosts import Host, network_hosts, no_hosts
from support.spark_runs.spark_cluster import Cluster, spark_cluster

pytestmark = [pytest.mark.sampled, pytest.mark.timeout(900)]
PROBE = Path(__file__).resolve().parents[2] / "support/spark_runs/spark_probe.py"
LONG = 600  # seconds: what must happen has so long on a busy machine, and ends as soon as it has
NO_HOSTS = no_hosts()  # why no network namespaces can be made here; where they can, nothing is skipped
LOST_SOON = {  # a host that is gone says nothing: Spark's own limit for that is two minutes, here it is seconds
    "spark.network.timeout": "20s",
    "spark.executor.heartbeatInterval": "1s",
    "spark.network.timeoutInterval": "1s",
    "spark.storage.blockManagerHeartbeatTimeoutMs": "20s",
    "spark.rpc.askTimeout": "30s",
}

BOTH_AWAITED = {"spark.scheduler.maxRegisteredResourcesWaitingTime": "300s"}
NONE_AWAITED = {"spark.scheduler.maxRegisteredResourcesWaitingTime": "1s"}  # Spark starts before executors are there


class Site(NamedTuple):
    """A cluster, and the host that jobs are submitted from."""

    cluster: Cluster
    driver: Host


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hosts")
    with ExitStack() as stack:
        names = ("master", "worker1", "worker2", "driver")
        hosts = [Host()] * 4 if NO_HOSTS else stack.enter_context(network_hosts(*names))
        without = "" if NO_HOSTS else "worker2"
        master, *workers, driver = hosts
        yield Site(
            stack.enter_context(spark_cluster(folder, folder / "settings", master, workers, "known", without=without)),
            driver,
        )


class Submit:
    """A running spark-submit of the probe, on the driver's host."""

    def __init__(self, site: Site, log: Path, words: tuple[object, ...], wait: float, conf: dict[str, str]) -> None:
        given = {"spark.master": site.cluster.url, "spark.eventLog.enabled": "false", **NONE_AWAITED, **conf}
        command = [str(Path(sys.executable).with_name("spark-submit"))]
        command += [word for name, value in given.items() for word in ("--conf", f"{name}={value}")]
        command += [str(PROBE), *map(str, words)]
        environment = {
            "SPARK_CONF_DIR": str(site.cluster.settings),
            "SPARK_LOCAL_IP": site.driver.address,
            WAIT: str(wait),
        }
        self.log = log
        self.process = spawn(site.driver.runs(command), log, env=environment)

    def says(self, text: str) -> None:
        """Wait until the log has a text."""
        begin = time.monotonic()
        while text not in self.log.read_text():
            assert self.process.poll() is None, self.log.read_text()[-4000:]
            assert time.monotonic() - begin < LONG, self.log.read_text()[-4000:]
            time.sleep(0.2)

    def ended(self) -> tuple[int, str]:
        """Exit code and log, once it has ended by itself."""
        return self.process.wait(LONG), self.log.read_text()


@pytest.fixture
def submit(site: Site, tmp_path: Path) -> Iterator[Any]:
    begun: list[Submit] = []

    def start(*words: object, wait: float = LONG, **conf: str) -> Submit:
        given = {name.replace("_", "."): value for name, value in conf.items()}
        begun.append(Submit(site, tmp_path / f"submit{len(begun)}.log", words, wait, given))
        return begun[-1]

    yield start
    for one in begun:
        end(one.process)


def sentence(submitted: Submit) -> str:
    """The line by which a job ended that got no executor; no other line of it is the project's."""
    code, log = submitted.ended()
    assert code == 1, log[-4000:]
    assert "left" not in log.splitlines(), log[-4000:]
    lines = [line for line in log.splitlines() if WAIT in line]
    assert len(lines) == 1, log[-4000:]
    return lines[0]


def test_a_submit_gets_the_settings_that_it_was_given(submit):
    conf = {"spark.master": "local[1]", "spark.sql.shuffle.partitions": "77", "spark.sql.session.timeZone": "Asia/Aden"}
    submitted = submit(0, 0, 0, **conf)
    code, log = submitted.ended()
    assert code == 0, log
    (shown,) = [line for line in log.splitlines() if line.startswith("settings ")]
    assert json.loads(shown.removeprefix("settings ")) == {
        "spark.sql.shuffle.partitions": "77",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }


@pytest.mark.fault(79)
def test_no_master_at_the_address(submit, site):
    port = free_port()
    said = sentence(submit(2, 0, 0, wait=5, **{"spark.master": f"spark://{site.driver.address}:{port}"}))
    assert said == (
        f"Spark did not start on spark://{site.driver.address}:{port} within 5 s: {site.driver.address}:{port} takes "
        f"no connection from the driver's host (Connection refused). A cluster that needs longer: {WAIT}."
    )


@pytest.mark.fault(79)
def test_another_secret_than_the_masters(submit, site):
    said = sentence(submit(2, 0, 0, wait=5, **{"spark.authenticate.secret": "another"}))
    assert said.startswith(f"Spark did not start on {site.cluster.url} within 5 s")
    assert "takes connections (is it Spark's master of this release, with the same spark.authenticate.secret" in said


@pytest.mark.fault(79)
def test_no_worker_has_what_is_asked_for(submit, site):
    home = site.cluster.folder / "home"
    said = sentence(submit(2, 0, 5, home, **{"spark.executor.memory": "64g"}))
    assert list(home.iterdir()) == [], "what the executors were to be asked for is gone"
    assert said.startswith(f"{site.cluster.url} gave this job no executor for 5 s (none ever reached the driver).")
    assert f"A cluster that is full for longer: {WAIT}." in said


@pytest.mark.fault(79)
def test_executors_that_cannot_call_the_driver_back(submit, site):
    """What a driver that says 127.0.0.1 does to a cluster of hosts: executor after executor, for ever."""
    wrong = "127.0.0.9"  # where no driver listens, seen from any host
    said = sentence(submit(2, 0, 5, **{"spark.driver.host": wrong, "spark.driver.bindAddress": site.driver.address}))
    assert "none ever reached the driver" in said
    assert re.search(rf"open connections to the driver at {wrong}:\d+ \(spark.driver.host,", said)


def test_a_slow_start_is_waited_for(submit, site):
    workers = [site.cluster.processes[f"worker{number}"].pid for number in (1, 2)]
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    try:
        submitted = submit(4, 10, 0)
        submitted.says("Initial job has not accepted any resources")
        assert "done" not in submitted.log.read_text()
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGCONT)
    code, log = submitted.ended()
    assert code == 0, log[-4000:]
    assert "done 4" in log
    assert f'"spark.driver.host": "{site.driver.address}"' in log
    assert WAIT not in log


# reason: a machine without the right to make network namespaces has one host, and there is nothing to tell apart
@pytest.mark.skipif(bool(NO_HOSTS), reason=NO_HOSTS)
def test_a_home_that_one_host_lacks_is_said_before_anything_is_read(submit, site):
    common, lacking = site.cluster.folder / "common", site.cluster.folder / "shared/home"
    code, log = submit(0, 0, 0, common, lacking, **BOTH_AWAITED).ended()
    assert code == 1, log[-4000:]
    assert f"all have {common}" in log
    assert f"all have {lacking}" not in log
    (said,) = [line for line in log.splitlines() if line.startswith(f"{lacking} is a folder")]
    found, times = map(int, re.findall(r": (\d+) of (\d+) reads found it", said)[0])
    assert 0 < found < times
    assert list(lacking.iterdir()) == list(common.iterdir()) == []


# reason: a machine without the right to make network namespaces has one host, and there is nothing to tell apart
@pytest.mark.skipif(bool(NO_HOSTS), reason=NO_HOSTS)
@pytest.mark.fault(79)
def test_hosts_that_are_lost_in_the_middle(submit, site):
    """Without one of two the other finishes the job; without both the next job ends with the sentence."""
    first, second = site.cluster.workers
    try:
        submitted = submit("40,4000", 1000, 60, **LOST_SOON, **BOTH_AWAITED)
        submitted.says("settings ")
        running(site, 2)
        second.unplug()
        submitted.says("Lost executor")
        submitted.says("done 40")
        first.unplug()
        assert "(the 2 it had are gone)" in sentence(submitted)
    finally:
        for host in (first, second):
            host.plug()


def running(site: Site, executors: int) -> None:
    """Wait until so many executors of the last job have begun a task."""
    begin = time.monotonic()
    while True:
        logs = [path / "stderr" for paths in site.cluster.executors().values() for path in paths]
        newest = max((path.parent.parent.name for path in logs), default="")
        texts = [path.read_text() for path in logs if path.parent.parent.name == newest and path.exists()]
        if sum("Running task" in text for text in texts) >= executors:
            return
        assert time.monotonic() - begin < LONG, subprocess.list2cmdline([newest, *texts])[-4000:]
        time.sleep(0.2)
