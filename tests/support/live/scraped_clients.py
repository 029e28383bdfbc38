"""Old producers whose JVMs carry the JMX exporter, and a Prometheus that scrapes them: takes a home, lands the sweeps.

PYTHONPATH=plugins:spark:demo:tests python -m support.live.scraped_clients HOME --record   keeps what Prometheus had too

Four producers write to one cluster of 3.9.1 whose leaders move; each entry of the fleet file has a selector of its own:

"dropped391"   billing, of 1.1.1 with its defaults: gives up what a broker refuses; beside shop
"sent391"      shop, of 1.1.1 with retries set: sends the same again
"unretried391" ledger, of 3.9.1 with retries=0: gives up too, and has no release with that default
"stated391"  depot, of 1.1.1, whose exporter has no rules and tells no release: its owner declares it
"nameless391"  depot without that declaration
"short391"     billing again, while a replica is missing under min.insync.replicas
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from kafka.admin import AlterConfigOp, ConfigResourceType

from fleet_demo.artifacts import exporter_agent
from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Producer
from fleet_demo.processes import LOOPBACK, free_port
from fleet_demo.topics import create_topic
from support.live import prometheus
from support.live.availability import alter
from support.live.pushed_metrics import record
from support.live.retries import CONFIG, LEADERS, SLOW, TAKEN, TOO_FEW, await_growth, await_replicas, refuse_moved
from support.live.scenarios import avoid_midnight, sweep

DROPPED, SENT, UNRETRIED, DECLARED, NAMELESS = "dropped391", "sent391", "unretried391", "stated391", "nameless391"
SHORT = "short391"
OLD, NEW = "1.1.1", "3.9.1"
RULES = Path(__file__).with_name("client_rules.yml")
RECORDED = Path(__file__).resolve().parents[2] / "data/prometheus/scraped_clients.json.gz"
SERIES = '{__name__=~"kafka_producer_.*(record_(send|error|retry)(_total)?|record_queue_time_(avg|max)|app(_info)?)"}'
FOREVER = 2**31 - 1
PRODUCERS = {  # client.id: release, what it sets, whether its exporter has rules
    "billing": (OLD, {}, True),
    "shop": (OLD, {"retries": FOREVER, "max.in.flight.requests.per.connection": 1}, True),
    "ledger": (NEW, {"retries": 0, "enable.idempotence": "false"}, True),
    "depot": (OLD, {}, False),
}
OWNED = {"producers": [{"software": "apache-kafka-java", "version": "<2.1", "client_ids": ["depot"]}]}
MOVED = {
    DROPPED: ("billing|shop", {}),
    SENT: ("shop", {}),
    UNRETRIED: ("ledger", {}),
    DECLARED: ("depot", {"client_configs": OWNED}),
    NAMELESS: ("depot", {}),
}
SCRAPED_S = 3.0  # until what is scraped every second is there
RATE = 100


@contextmanager
def _producers(cluster: Cluster, folder: Path) -> Iterator[tuple[list[Producer], list[int]]]:
    """All of them, and the ports of their exporters."""
    folder.mkdir(parents=True)
    bare = folder / "bare.yml"
    bare.write_text('includeObjectNames: ["kafka.producer:*"]\n')
    with ExitStack() as started:
        running, ports = [], []
        for name, (release, settings, has_rules) in PRODUCERS.items():
            ports.append(free_port())
            agent = f"-javaagent:{exporter_agent()}={LOOPBACK}:{ports[-1]}:{RULES if has_rules else bare}"
            own = {**SLOW, "client.id": name, **settings}
            one = Producer(cluster, "orders", RATE, properties=own, release=release, options=[agent])
            running.append(started.enter_context(one))
        yield running, ports


def _jobs(ports: list[int]) -> dict[str, object]:
    every = {"scrape_interval": "1s", "scrape_timeout": "1s"}
    targets = [{"targets": [f"{LOOPBACK}:{port}" for port in ports]}]
    return {"scrape_configs": [{"job_name": "kafka-clients", **every, "static_configs": targets}]}


def _sweeps(cluster: Cluster, home: Path, url: str, names: dict[str, tuple[str, dict[str, object]]]) -> None:
    time.sleep(SCRAPED_S)
    for name, (clients, more) in names.items():
        read = {"prometheus": url, "selector": f'job="kafka-clients",client_id=~"{clients}"'}
        told = sweep(cluster, home, name, client_metrics=read, **more)
        if told.clients:
            raise ClusterError(f"{name}: {told.clients}")


def run(home: Path, recorded: Path | None = None) -> None:
    """Some 120 s of two brokers and four producers. Raises ClusterError when something does not start."""
    avoid_midnight(300)
    folder = home / "scraped"
    with Cluster("scraped391", NEW, broker_config=CONFIG) as cluster:
        create_topic(cluster, "orders", replica_assignment=LEADERS, config={"min.insync.replicas": 1})
        _led_by_one(cluster)
        with (
            _producers(cluster, folder / "exporters") as (running, ports),
            prometheus.server(folder / "prometheus", {}, more=_jobs(ports)) as url,
        ):
            await_growth(cluster, TAKEN, 10 * RATE)
            _phases(cluster, home, url)
            for one in running:
                if not one.running:
                    raise ClusterError(one.log.read_text()[-2000:])
            if recorded is not None:
                record(url, time.time(), recorded, SERIES)


def _led_by_one(cluster: Cluster) -> None:
    """Let broker 1 lead everything, with both replicas in sync."""
    cluster.stop_broker(2)
    cluster.start_broker(2)
    await_replicas(cluster)


def _phases(cluster: Cluster, home: Path, url: str) -> None:
    for act in (None, None, refuse_moved, None):
        if act is not None:
            act(cluster)
        _sweeps(cluster, home, url, MOVED)
    _led_by_one(cluster)  # so that no leader moves when broker 2 stops
    # what is refused from here on has one cause, and what was before lies further back than what is laid beside it
    short = {SHORT: ("billing", {"thresholds": {"retriable_errors": {"max_push_s": 1}}})}
    for _ in range(2):
        _sweeps(cluster, home, url, short)
        time.sleep(SCRAPED_S)
    alter(cluster, ((ConfigResourceType.TOPIC, "orders", "min.insync.replicas", "2"),), AlterConfigOp.SET)
    cluster.stop_broker(2)
    await_growth(cluster, TOO_FEW, 20)
    for _ in range(4):  # brokers refuse at once, a producer counts what it gave up some seconds later
        _sweeps(cluster, home, url, short)


def main(words: list[str]) -> None:
    """Land the sweeps in a home; with --record, keep the producers' series for the fast tests."""
    run(Path(words[0]), RECORDED if "--record" in words else None)
    print(json.dumps(sorted({*MOVED, SHORT})))


if __name__ == "__main__":
    main(sys.argv[1:])
