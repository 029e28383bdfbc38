"""Transactions whose coordinator has them, and that hold back readers and the cleaner: takes a home, lands sweeps.

"silent391"   two within their timeouts for a minute and a half on compacted topics: one writes once, one often;
              many records come after the first, few after the other
"unmarked391" the first is to be committed, and the coordinator's thread that sends markers stands still
"marked391"   it goes on, and nothing is open any more

One broker of 3.9.1; a debugger holds the thread. Entries have thresholds of seconds, since sweeps are seconds apart;
min_silent_s is the least that may be set.
"""

import time
from contextlib import ExitStack
from pathlib import Path

from kafka import KafkaProducer

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from kafka_fleet.collect.admin.transactions import LONG_MS
from support.live import jdwp, scenarios
from support.live.hanging import TIMEOUT_MS
from support.live.raw_transactions import RawProducer

SILENT, UNMARKED, MARKED = "silent391", "unmarked391", "marked391"
TABLE, OTHER = "table", "other"
RECORDS, HELD = 200, 100  # after the beginning of the silent one; so many are held back at least
SILENT_S, EVERY_S, LOOKS = 60, 10.0, 8
SWEEPS, SOON_S = 3, 2.0
SENDER = r"^TxnMarkerSenderThread-\d+$"
THRESHOLDS = {
    "hanging_transaction": {"min_silent_s": SILENT_S, "min_ending_s": 2, "min_lost_s": 2},
    "cleaner_stuck": {"min_looks": 3, "min_lasting_s": SILENT_S, "min_held_records": HELD},
}


def _sweep(cluster: Cluster, home: Path, name: str) -> None:
    scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS)


def _write(cluster: Cluster, topic: str, many: int) -> None:
    """Records outside of all transactions."""
    writer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks=1)
    try:
        for number in range(many):
            writer.send(topic, key=b"key-%d" % number, value=b"value")
        writer.flush(timeout=60)
    finally:
        writer.close()


def _busy_and_swept(cluster: Cluster, home: Path, busy: RawProducer) -> None:
    busy.write(OTHER)
    _sweep(cluster, home, SILENT)


def run(home: Path) -> None:
    """Open both, wait, let one end late; two minutes. Raises ClusterError when a step does not come about."""
    scenarios.avoid_midnight(240)
    port = free_port()
    with (
        Cluster(SILENT, "3.9.1", brokers=1, racks=(), node_options={1: jdwp.options(port)}) as cluster,
        ExitStack() as open_ones,
    ):
        for topic in (TABLE, OTHER):
            create_topic(cluster, topic, config={"cleanup.policy": "compact"})
        silent, busy = (open_ones.enter_context(RawProducer(cluster, one, TIMEOUT_MS)) for one in ("nightly", "hourly"))
        for producer, topic in ((silent, TABLE), (busy, OTHER)):
            producer.add(topic)
            producer.write(topic)
        _write(cluster, TABLE, RECORDS)
        time.sleep(LONG_MS / 1000 + 1)
        scenarios.spaced(LOOKS, EVERY_S, lambda: _busy_and_swept(cluster, home, busy))
        busy.end(committed=True)
        with jdwp.Debugger(port) as debugger:
            if debugger.suspend(SENDER) != 1:
                raise ClusterError(f"nothing sends markers: {sorted(debugger.threads().values())}")
            silent.decide(committed=True)
            scenarios.spaced(SWEEPS, SOON_S, lambda: _sweep(cluster, home, UNMARKED))
        silent.await_markers()
        scenarios.spaced(SWEEPS, SOON_S, lambda: _sweep(cluster, home, MARKED))
