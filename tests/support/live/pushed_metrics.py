"""Producers that push their metrics to a real cluster, and a Prometheus that receives them by OTLP (KIP-714).

PYTHONPATH=plugins:spark:demo:tests python -m support.live.pushed_metrics --prometheus PROGRAM --home HOME [--record]

PROGRAM is Prometheus 3.3 or later, which adds up what clients push as increases; the distribution's has no OTLP. Two
producers of 4.1.1 write to two brokers of 4.1.1: one without retries, one with the defaults. Leaders move meanwhile.
The day is imported into HOME and judged. --record keeps the series of the producers for the fast tests.
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import requests
import yaml

from fleet_demo.artifacts import kafka_jars
from fleet_demo.cluster import Cluster
from fleet_demo.load import Producer
from fleet_demo.node import jvm
from fleet_demo.processes import LOOPBACK, end, free_port, spawn
from fleet_demo.topics import create_topic
from support.live import prometheus
from support.live.commands import fleet_command
from support.live.retries import CONFIG, LEADERS, SLOW, TAKEN, await_growth, await_replicas, refuse_moved
from support.live.scenarios import avoid_midnight

RELEASE, NAME, STEP_S, PUSH_MS = "4.1.1", "pushed411", 10, 1_000
PRODUCER = Path(__file__).with_name("pushed") / "PushedMetrics.java"
RECORDED = Path(__file__).resolve().parents[2] / "data/prometheus/pushed.json.gz"
SELECTOR = '{__name__=~"org_apache_kafka_producer_(topic_)?record_.*"}'
REPORTERS = "PushedMetrics,org.apache.kafka.common.metrics.JmxReporter"  # the second one is there by itself no more
_LOST = re.compile(r"^org\.apache\.kafka\.common\.errors\.\w+", re.MULTILINE)
WITHOUT = {**SLOW, "retries": 0, "enable.idempotence": "false", "client.id": "billing"}


def with_receiver(folder: Path) -> Path:
    """A folder of releases with RELEASE and the receiver beside its jars. Raises CalledProcessError."""
    jars, home = kafka_jars(RELEASE), folder / RELEASE
    home.mkdir(parents=True)
    for jar in jars.iterdir():
        (home / jar.name).symlink_to(jar)
    classes = folder / "classes"
    subprocess.run(["javac", "-cp", f"{jars}/*", "-d", str(classes), str(PRODUCER)], check=True)
    subprocess.run(["jar", "cf", str(home / "pushed-metrics.jar"), "-C", str(classes), "."], check=True)
    return folder


@contextmanager
def receiver(program: str, folder: Path, port: int, ports: Mapping[int, int]) -> Iterator[str]:
    """A Prometheus that scrapes the brokers' exporters and receives OTLP; its URL."""
    folder.mkdir(parents=True, exist_ok=True)
    targets = [{"targets": [f"{LOOPBACK}:{one}"], "labels": {"broker_id": str(b)}} for b, one in ports.items()]
    every = {"scrape_interval": "5s", "scrape_timeout": "5s"}
    received = {"promote_resource_attributes": ["client_id", "client_instance_id"]}
    jobs = [{"job_name": "kafka", "static_configs": targets}]
    (folder / "prometheus.yml").write_text(json.dumps({"global": every, "scrape_configs": jobs, "otlp": received}))
    command = [program, f"--config.file={folder}/prometheus.yml", f"--web.listen-address={LOOPBACK}:{port}"]
    command += [f"--storage.tsdb.path={folder}/data", "--web.enable-otlp-receiver"]
    command += ["--enable-feature=otlp-deltatocumulative"]
    process = spawn(command, folder / "prometheus.log")
    url = f"http://{LOOPBACK}:{port}"
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and not prometheus.is_ready(url):
            if time.monotonic() > deadline:
                raise prometheus.PrometheusError("Prometheus does not start")
            time.sleep(0.2)
        yield url
    finally:
        end(process, 5.0)


def subscribe(cluster: Cluster) -> None:
    """Ask every client for its producer's metrics. Raises CalledProcessError."""
    wanted = f"interval.ms={PUSH_MS},metrics=org.apache.kafka.producer."
    words = ["--entity-type", "client-metrics", "--entity-name", "all", "--alter", "--add-config", wanted]
    command = [*jvm(cluster.jars, None), "kafka.admin.ConfigCommand", "--bootstrap-server", cluster.bootstrap, *words]
    subprocess.run(command, check=True, capture_output=True)


def judged(home: Path, url: str, cluster: Cluster) -> None:
    """Import today's windows and judge the day; prints what was said."""
    today = datetime.now(UTC).date().isoformat()
    fleet, choice = home / "fleet.yaml", home / "map.yaml"
    fleet.write_text(yaml.safe_dump({"version": 1, "clusters": [cluster.fleet_entry(id=NAME)]}))
    whose = {"selector": 'job="kafka"', "clients": 'job="kafka-clients"'}
    choice.write_text(yaml.safe_dump({"version": 1, "clusters": {NAME: whose}}))
    at = ["--fleet", str(fleet), "--home", str(home)]
    step = ["--prometheus", url, "--step", f"{STEP_S}s", "--map", str(choice), "--from", today, "--to", today]
    for words in (["import", *at, *step], ["analyze", *at, "--date", today]):
        done = fleet_command(*words)
        print(done.stdout, done.stderr, sep="\n")


def record(url: str, end_s: float, folder: Path, selector: str = SELECTOR) -> None:
    """Keep the producers' series as Prometheus answers them, and the answer to which series there are."""
    form = {"match[]": selector, "start": f"{end_s - 300:.3f}", "end": f"{end_s:.3f}"}
    series = requests.post(f"{url}/api/v1/series", data=form, timeout=60).json()
    kept: dict[str, Any] = {"series": series["data"], "samples": prometheus.raw(url, selector, end_s, 300)}
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_bytes(gzip.compress(json.dumps(kept).encode(), mtime=0))


def told(producer: Producer) -> int:
    """Records that a producer without retries says it lost: the tool prints the error of each."""
    return len(_LOST.findall(producer.log.read_text()))


def pushed(program: str, home: Path, keep: Path | None = None) -> int:
    """Run the cluster for about a minute, import and judge the day; how many records the log of `billing` gives up.

    keep: a file for the series of the producers. Raises ClusterError, PrometheusError.
    """
    avoid_midnight(600)
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder, port = Path(scratch), free_port()
        agents, ports = prometheus.agents(folder / "exporters")
        more = {"metric.reporters": REPORTERS, **CONFIG}
        more["pushed.metrics.url"] = f"http://{LOOPBACK}:{port}/api/v1/otlp/v1/metrics"
        with (
            receiver(program, home / "prometheus", port, ports) as url,
            Cluster(NAME, RELEASE, broker_config=more, node_options=agents, artifacts=with_receiver(folder)) as cluster,
        ):
            subscribe(cluster)
            create_topic(cluster, "orders", replica_assignment=LEADERS, config={"min.insync.replicas": 1})
            cluster.stop_broker(2)  # broker 1 leads all of it from here on
            cluster.start_broker(2)
            await_replicas(cluster)
            with (
                Producer(cluster, "orders", 200, properties=WITHOUT) as billing,
                Producer(cluster, "orders", 200, properties={**SLOW, "client.id": "shop"}),
            ):
                await_growth(cluster, TAKEN, 1_000)
                time.sleep(2 * STEP_S)
                # a broker that stops takes its counts along, and what it refused last is explained by nobody
                refuse_moved(cluster)
                time.sleep(3 * STEP_S)
                lost = told(billing)
            if keep:
                record(url, time.time(), keep)
            judged(home, url, cluster)
    return lost


def main() -> None:
    """Run it, and say what the producer said."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prometheus", required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    lost = pushed(options.prometheus, options.home, RECORDED if options.record else None)
    print(f"the log of billing has {lost} records that it gave up")


if __name__ == "__main__":
    sys.exit(main())
