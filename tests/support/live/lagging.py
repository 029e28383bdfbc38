"""A broker of 4.1.1 that does not apply the metadata log, or catches up with it: takes a home, lands sweeps.

"behind411"  the thread of broker 2 that applies metadata stands still, while it fetches on
"caught411"  look-alikes: it goes on, is stopped by SIGSTOP for longer than a silence counts, and is started again

A debugger holds the thread. Entries have thresholds of seconds, since sweeps are seconds apart.
"""

import os
import signal
import time
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from support.live import jdwp, quorum, scenarios

BEHIND, CAUGHT = "behind411", "caught411"
LATE = 2
SWEEPS, EVERY_S = 4, 2.5
LOADER = r"metadata-loader-event-handler$"
APPLIED = "kafka.server:type=broker-metadata-metrics"
SILENT_S = quorum.THRESHOLDS["quorum_health"]["max_silent_s"]


def _applied(cluster: Cluster, broker: int) -> int:
    offset: int = cluster.jolokia(broker, APPLIED, "last-applied-record-offset")
    return offset


def _await_applied(cluster: Cluster) -> None:
    """Wait until the late broker has applied what the other one had."""
    end = _applied(cluster, 1)
    scenarios.await_that("the broker has caught up", lambda: _applied(cluster, LATE) >= end)


def run(home: Path) -> None:
    """Let it fall behind, then catch up in three ways; a minute. Raises ClusterError where it does not."""
    scenarios.avoid_midnight(180)
    port = free_port()
    with Cluster(BEHIND, quorum.RELEASE, racks=(), node_options={LATE: jdwp.options(port)}) as cluster:
        create_topic(cluster, "orders", replica_assignment={0: [1]})
        with jdwp.Debugger(port) as debugger:
            if debugger.suspend(LOADER) != 1:
                raise ClusterError(f"nothing applies metadata: {sorted(debugger.threads().values())}")
            scenarios.spaced(SWEEPS, EVERY_S, lambda: quorum.sweep(cluster, home, BEHIND))
        _await_applied(cluster)
        quorum.sweep(cluster, home, CAUGHT)
        os.kill(cluster.pids[LATE], signal.SIGSTOP)
        try:
            time.sleep(SILENT_S + 1)
        finally:
            os.kill(cluster.pids[LATE], signal.SIGCONT)
        quorum.sweep(cluster, home, CAUGHT)
        cluster.stop_broker(LATE)
        time.sleep(SILENT_S)
        cluster.start_broker(LATE)
        for _ in range(SWEEPS):
            quorum.sweep(cluster, home, CAUGHT)
            time.sleep(EVERY_S)
