"""Transactions that stay open on real brokers: takes a home, lands sweeps, and ends a hanging one as the letter says.

"patient332"  a transaction within its timeout, which the broker of 3.3.2 has for longer than the collector looks past
"hanging332"  a late batch begins a transaction that its coordinator does not know; the records are half an hour old by
              their producer, so that the broker counts it as late without half an hour of waiting
"ended332"    the same cluster after the command of the letter, run by the release's own tool
"refused391"  the same late batch at a broker of 3.9.1, which refuses it
"overdue391"  a transaction of a second, whose coordinator is set to look for such ones once an hour
"hidden391"   the same, when only another user may describe transactional ids

Entries have thresholds of seconds, since sweeps are seconds apart.
"""

import json
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from kafka import KafkaProducer, errors
from kafka.admin import ACL, ACLOperation, ACLPermissionType, KafkaAdminClient, ResourcePattern, ResourceType

from fleet_demo.cluster import Cluster
from fleet_demo.node import jvm
from fleet_demo.topics import create_topic
from kafka_fleet.collect.admin.transactions import LONG_MS
from kafka_fleet.collect.sweep import SweepResult
from support.live import scenarios
from support.live.raw_transactions import RawProducer

PATIENT, HANGING, ENDED, REFUSED, OVERDUE = "patient332", "hanging332", "ended332", "refused391", "overdue391"
HIDDEN = "hidden391"
AFFECTED, FIXED = "3.3.2", "3.9.1"
TOPIC, OTHER = "orders", "payments"
TIMEOUT_MS, MINUTE_MS = 900_000, 60_000
OLD_S = 1_900.0  # transaction.max.timeout.ms and the five minutes after which brokers call a transaction late
SWEEPS, EVERY_S, MORE = 3, 2.0, 5
RAN = "hanging_transaction_ended.json"  # in the home: the command that was run, and what it said
SAID = "late_batch_refused.json"  # in the home: what the fixed release said of the late batch
NEVER = {
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": 3_600_000,
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}
THRESHOLDS = {"hanging_transaction": {"min_lost_s": 2, "min_ending_s": 2, "min_over_s": 1}}


def sweep(cluster: Cluster, home: Path, name: str) -> SweepResult:
    """One sweep under an id."""
    return scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS)


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    """Some sweeps of a topic that is written to, outside of all transactions."""
    writer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks=1)
    try:
        for left in range(SWEEPS - 1, -1, -1):
            for _ in range(MORE):
                writer.send(TOPIC, b"one more").get(timeout=30)
            sweep(cluster, home, name)
            time.sleep(EVERY_S if left else 0)
    finally:
        writer.close()


def tool(cluster: Cluster, *words: str) -> list[str]:
    """The command line of a release's kafka-transactions.sh."""
    main = "org.apache.kafka.tools.TransactionsCommand"
    return [*jvm(cluster.jars, None, ["-Xmx64m"], "WARN"), main, "--bootstrap-server", cluster.bootstrap, *words]


def end(cluster: Cluster, open_transaction: dict[str, Any]) -> dict[str, Any]:
    """Abort one that is open on a partition: the words after the address, the exit code and what was printed."""
    words = ["abort", "--topic", open_transaction["topic"], "--partition", str(open_transaction["partition"])]
    words += ["--start-offset", str(open_transaction["start_offset"])]
    done = subprocess.run(tool(cluster, *words), capture_output=True, text=True, timeout=60, check=False)
    return {"words": words, "code": done.returncode, "printed": done.stdout + done.stderr}


def _late(cluster: Cluster) -> int | str:
    """Write in a transaction, abort it, and send the batch that is late: its offset, or the leader's error."""
    with RawProducer(cluster, "billing-1", MINUTE_MS) as producer:
        producer.add(TOPIC)
        producer.write(TOPIC)
        producer.end(committed=False)
        try:
            return producer.write(TOPIC, seconds_ago=OLD_S)
        except errors.BrokerResponseError as error:
            return type(error).__name__


def hide(cluster: Cluster) -> None:
    """Allow one other user all transactional ids, and so nobody else."""
    every = ResourcePattern(ResourceType.TRANSACTIONAL_ID, "*")
    allowed = ACL("User:other", "*", ACLOperation.ALL, ACLPermissionType.ALLOW, every)
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
    try:
        admin.create_acls([allowed])
    finally:
        admin.close()


def affected(home: Path) -> dict[str, Any]:
    """A legitimate transaction, then a hanging one, then its end, on one broker."""
    with Cluster("transactions332", AFFECTED, brokers=1, racks=()) as cluster:
        for topic in (TOPIC, OTHER):
            create_topic(cluster, topic)
        with RawProducer(cluster, "nightly", TIMEOUT_MS) as patient:
            patient.add(OTHER)
            patient.write(OTHER)
            time.sleep(LONG_MS / 1000 + 1)
            for _ in range(2):
                patient.write(OTHER)
                sweep(cluster, home, PATIENT)
                time.sleep(EVERY_S)
            patient.end(committed=True)
        offset = _late(cluster)
        _sweeps(cluster, home, HANGING)
        ran = end(cluster, {"topic": TOPIC, "partition": 0, "start_offset": offset})
        for _ in range(2):
            sweep(cluster, home, ENDED)
        return ran


def fixed(home: Path) -> int | str:
    """The late batch is refused, and nothing is open; then a transaction that its coordinator leaves open."""
    with (
        Cluster("transactions391", FIXED, brokers=1, racks=(), broker_config=NEVER) as cluster,
        ExitStack() as open_ones,
    ):
        for topic in (TOPIC, OTHER):
            create_topic(cluster, topic)
        told = _late(cluster)
        overdue = open_ones.enter_context(RawProducer(cluster, "payments-7", 1000))
        overdue.add(OTHER)
        overdue.write(OTHER)
        for _ in range(2):
            sweep(cluster, home, REFUSED)
            time.sleep(EVERY_S)
        time.sleep(LONG_MS / 1000 - EVERY_S)
        for _ in range(2):
            sweep(cluster, home, OVERDUE)
            time.sleep(EVERY_S + 1)
        hide(cluster)
        for _ in range(2):
            sweep(cluster, home, HIDDEN)
        return told


def run(home: Path) -> None:
    """The affected release, some 50 s. Raises ClusterError when a broker does not start."""
    scenarios.avoid_midnight(150)
    (home / RAN).write_text(json.dumps({"ended": affected(home)}))


def others(home: Path) -> None:
    """The fixed release, some 50 s. Raises ClusterError when a broker does not start."""
    scenarios.avoid_midnight(150)
    (home / SAID).write_text(json.dumps({"refused": fixed(home)}))
