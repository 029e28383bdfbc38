"""Two producers that push their metrics, and sweeps that read them in a Prometheus (KIP-714): lands the sweeps.

FLEET_PROMETHEUS=PROGRAM PYTHONPATH=plugins:spark:demo:tests python -m support.live.pushed_sweeps HOME

PROGRAM is Prometheus 3.3 or later, which adds up what clients push as increases. The day is judged, its findings shown.

"unretried411"   a producer of 4.1.1 without retries and one with the defaults, while leaders move
"retried411"     the same cluster and moments under an entry to whose selector only the second one's series belong
"""

import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Producer
from fleet_demo.processes import LOOPBACK, free_port
from fleet_demo.topics import create_topic
from support.live.commands import fleet_command
from support.live.pushed_metrics import RELEASE, REPORTERS, WITHOUT, receiver, subscribe, with_receiver
from support.live.retries import CONFIG, LEADERS, SLOW, TAKEN, await_growth, await_replicas, refuse_moved
from support.live.scenarios import avoid_midnight, sweep

UNRETRIED, RETRIED = "unretried411", "retried411"
SELECTORS = {UNRETRIED: 'job="kafka-clients"', RETRIED: 'job="kafka-clients",client_id="shop"'}
PUSHED_S = 5.0  # until what is pushed every second is there


def run(home: Path) -> None:
    """Some 90 s of two brokers. Raises ClusterError when something does not start."""
    program = os.environ.get("FLEET_PROMETHEUS")
    if not program:
        raise ClusterError("FLEET_PROMETHEUS must name a Prometheus of 3.3 or later")
    avoid_midnight(300)
    with tempfile.TemporaryDirectory() as scratch:
        folder, port = Path(scratch), free_port()
        more = {"metric.reporters": REPORTERS, **CONFIG}
        more["pushed.metrics.url"] = f"http://{LOOPBACK}:{port}/api/v1/otlp/v1/metrics"
        with (
            receiver(program, folder / "prometheus", port, {}) as url,
            Cluster("pushing411", RELEASE, broker_config=more, artifacts=with_receiver(folder)) as cluster,
        ):
            subscribe(cluster)
            create_topic(cluster, "orders", replica_assignment=LEADERS, config={"min.insync.replicas": 1})
            cluster.stop_broker(2)  # broker 1 leads all of it from here on
            cluster.start_broker(2)
            await_replicas(cluster)
            _pushing(cluster, home, url)


def _pushing(cluster: Cluster, home: Path, url: str) -> None:
    def sweep_both() -> None:
        time.sleep(PUSHED_S)
        for name, selector in SELECTORS.items():
            told = sweep(cluster, home, name, client_metrics={"prometheus": url, "selector": selector})
            if told.clients:
                raise ClusterError(f"{name}: {told.clients}")

    with (
        Producer(cluster, "orders", 200, properties=WITHOUT) as billing,
        Producer(cluster, "orders", 200, properties={**SLOW, "client.id": "shop"}) as shop,
    ):
        await_growth(cluster, TAKEN, 1_000)
        sweep_both()
        sweep_both()
        refuse_moved(cluster)
        sweep_both()
        sweep_both()
        for one in (billing, shop):
            assert one.running, one.log.read_text()[-2000:]


def main(home: Path) -> None:
    """Land the sweeps in a home, judge the day and show what was found."""
    run(home)
    today = datetime.now(UTC).date().isoformat()
    for words in (["analyze"], ["findings", "--format", "table"]):
        done = fleet_command(*words, "--home", str(home), "--date", today)
        print(done.stdout, done.stderr, sep="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
