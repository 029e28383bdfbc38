"""A crowd whose idle connections end and are made again, on a healthy broker of 4.1.1: takes a home, lands sweeps.

"idle-crowd411"  connections ask once and rest; a broker closes each after connections.max.idle.ms, and its client makes
                 it again at once, while nothing restarts and no leader moves

Real brokers close connections that are idle for ten minutes, this one after IDLE_S. A network thread closes one at each
of its turns, and a crowd that came at once is gone, and back, within seconds.
"""

import time
from pathlib import Path

from fleet_demo.cluster import Cluster
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.crowds import crowd
from support.live.scenarios import avoid_midnight, await_that, spaced

NAME, RELEASE = "idle-crowd411", "4.1.1"
CONNECTIONS, IDLE_S, TIMES = 1_500, 35.0, 3  # each is made so many times
EVERY_S, APART_S = 3.0, 12.0  # as the crowd comes for the first time, which is not what is looked at
CONFIG = {"connections.max.idle.ms": int(1000 * IDLE_S)}
THRESHOLDS = {"reconnect_storm": {"restart_s": 10}, "handler_saturation": {"warm_up_s": 0, "min_busy_s": 20}}


def run(home: Path) -> None:
    """Sweeps until each connection was made so many times; two minutes. Raises ClusterError without a broker."""
    avoid_midnight(240)

    def sweep() -> None:
        scenarios.sweep(cluster, home, thresholds=THRESHOLDS)

    with Cluster(NAME, RELEASE, racks=(), broker_config=CONFIG) as cluster:
        create_topic(cluster, "orders")
        with (
            Producer(cluster, "orders", 20, properties={"batch.size": 500}),
            Consumer(cluster, "orders", "billing"),
        ):
            time.sleep(2)
            sweep()
            with crowd(cluster.workdir, "127.0.0.1", cluster.nodes[2].port, CONNECTIONS) as held:
                time.sleep(APART_S)
                until = time.monotonic() + 4 * TIMES * IDLE_S
                while held.made() < TIMES * CONNECTIONS and time.monotonic() < until:
                    sweep()
                    time.sleep(EVERY_S)
                await_that("the crowd comes back", lambda: held.made() >= TIMES * CONNECTIONS, 1)
                held.wait()
                spaced(2, EVERY_S, sweep)
