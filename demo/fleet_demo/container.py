"""One small Kafka cluster in a container of its own: takes a name and a release, runs two brokers and their load.

    python -m fleet_demo.container kafka-buggy 3.3.1              until it is told to stop, or a part of it ends
    python -m fleet_demo.container kafka-buggy 3.3.1 --healthy    exit code 0 when both brokers serve

The name is the address too: everything listens there and nowhere else. The ports count up from the first one: broker,
controller and agent of broker 1, then of broker 2. The load is that of the demo: a consumer in the follower's rack.
"""

import argparse
import os
import signal
import sys
import time
from contextlib import ExitStack
from types import FrameType

from fleet_demo.artifacts import ArtifactError
from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.fleet import RECORDS_PER_S, SELECTOR
from fleet_demo.load import Consumer, Producer
from fleet_demo.readiness import RUNNING, read_value
from fleet_demo.topics import create_topic

BROKERS = 2
KEPT = {"log.retention.hours": 6, "log.segment.bytes": 16 * 1024 * 1024}  # it may run for weeks
LOOK_S = 5.0


def agents(host: str, first_port: int) -> dict[int, str]:
    """The address of each broker's Jolokia agent."""
    return {broker: f"http://{host}:{first_port + 3 * broker - 1}/jolokia" for broker in range(1, BROKERS + 1)}


def healthy(host: str, first_port: int) -> bool:
    """Whether every broker says that it serves."""
    state = "kafka.server:type=KafkaServer,name=BrokerState"
    try:
        return all(read_value(url, state, "Value") == RUNNING for url in agents(host, first_port).values())
    except (OSError, LookupError):
        return False


def run(name: str, release: str, host: str, first_port: int) -> int:
    """Brokers and load until a signal; 1 when one of them ends by itself, so that the container is started again."""
    cluster = Cluster(
        name, release, brokers=BROKERS, broker_config={**SELECTOR, **KEPT}, host=host, first_port=first_port
    )
    with cluster, ExitStack() as clients:
        create_topic(cluster, "orders", replica_assignment={0: [1, 2]})
        producer = clients.enter_context(Producer(cluster, "orders", RECORDS_PER_S))
        consumer = clients.enter_context(Consumer(cluster, "orders", group="billing", rack="b"))
        print(f"{name}: {BROKERS} brokers of {release} serve at {cluster.bootstrap}, under load", flush=True)
        while producer.running and consumer.running and len(cluster.pids) == BROKERS:
            time.sleep(LOOK_S)
            os.truncate(consumer.out, 0)  # every record that it reads is a line there
    print(f"{name}: a broker or a client has ended", file=sys.stderr)
    return 1


def _stop_on_signal(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)  # unwinds the with blocks, which stop what was started


def main() -> int:
    """Entry point of the image's target `kafka`."""
    parser = argparse.ArgumentParser(prog="fleet_demo.container")
    parser.add_argument("name")
    parser.add_argument("release")
    parser.add_argument("--host", help="the address; without it the name")
    parser.add_argument("--first-port", type=int, default=9092)
    parser.add_argument("--healthy", action="store_true", help="ask a running one, and start nothing")
    options = parser.parse_args()
    host = options.host or options.name
    if options.healthy:
        return 0 if healthy(host, options.first_port) else 1
    signal.signal(signal.SIGTERM, _stop_on_signal)
    try:
        return run(options.name, options.release, host, options.first_port)
    except (ArtifactError, ClusterError) as error:
        print(f"{options.name}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
