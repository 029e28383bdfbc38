"""Sweeps of one simulated broker: takes its agent and limits, gives what was read, or how it failed."""

import time

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia.client import BrokerSweep, sweep_broker
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema.mbeans import PARTITIONS, beans
from support.servers.jolokia_simulator import Agent

# long where an answer is expected, for a machine that has much else to do; short where none ever comes
LIMITS = Limits(connect_s=5.0, read_s=8.0, deadline_s=10.0, max_bytes=2_000_000)
SHORT = LIMITS._replace(connect_s=1.0, read_s=0.8, deadline_s=1.2)
SECRET = Credentials("canary-user", "canary-password")
LOG_END = beans(PARTITIONS)[0].mbean
STATE = "kafka.server:type=KafkaServer,name=BrokerState"


def sweep(one: Agent, limits: Limits = LIMITS, credentials: Credentials = SECRET) -> BrokerSweep:
    found = sweep_broker(one.url, credentials, limits)
    assert "canary" not in f"{found.kind} {found.detail} {found.missing}"
    return found


def failed(one: Agent, kind: str, limits: Limits = LIMITS) -> BrokerSweep:
    started = time.monotonic()
    found = sweep(one, limits)
    assert (found.outcome, found.kind) == ("failed", kind)
    assert time.monotonic() - started < limits.deadline_s + 1
    assert found.read_at is None
    assert found.rows.values == 0
    assert found.detail is not None
    assert len(found.detail) <= 200
    return found
