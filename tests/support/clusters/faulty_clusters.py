"""What ails each cluster of a simulated fleet: its row in faults.yaml, how it is done to a broker, what a letter says.

`harm` does all of it to a fleet that is served; the clusters of HEALTHY are left alone.
"""

import json
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from kafka_fleet.schema.mbeans import PARTITIONS as PARTITION_BEANS
from kafka_fleet.schema.mbeans import beans
from support.clusters.simulated_fleet import Broker, Fleet
from support.servers.certificates import Authority
from support.servers.hostile_answers import bomb, cut, dropping, endless, trickle
from support.servers.jolokia_simulator import Json, agent, answer, never_answers

HEALTHY = {"alpha": 2, "beta": 2, "gamma": 1}
LOG_END, LOG_START = (bean.mbean for bean in beans(PARTITION_BEANS)[:2])
STATE = "kafka.server:type=KafkaServer,name=BrokerState"
REASSIGNING = "kafka.server:type=ReplicaManager,name=ReassigningPartitions"
Hurt = Callable[[Broker], None]


def wired(wire: Callable[[Any], None]) -> Hurt:
    return lambda broker: setattr(broker, "wire", wire)


def entry(mbean: str, change: Callable[[Json], Json]) -> Hurt:
    return lambda broker: setattr(broker, "entry", lambda name, given: change(given) if name == mbean else given)


def body(change: Callable[[Broker, list[Json]], Any]) -> Hurt:
    return lambda broker: setattr(broker, "body", lambda answers: change(broker, answers))


def spoiled(broker: Broker, answers: list[Json]) -> Any:
    asked = [read["mbean"] for read in broker.seen[-1][2]]
    return {"status": 400, "error": "canary-text"} if STATE in asked else answers


def refused_with_400(broker: Broker) -> None:
    def wire(handler: Any) -> None:
        asked = broker.seen[-1][2]
        if STATE in [read["mbean"] for read in asked]:
            answer(handler, b"{}", 400)
        else:
            handler.serve_answers(asked)

    broker.wire = wire


def repeated(handler: Any) -> None:
    """One name has its value twice."""
    asked = handler.agent.seen[-1][2]
    text = json.dumps([handler.agent.answer(one) for one in asked])
    answer(handler, text.replace('{"Value": ', '{"Value": 0, "Value": ', 1).encode())


def first_of(value: Json, change: Callable[[Json], Json]) -> Json:
    name = next(iter(value))
    return {**value, name: change(value[name])}


def valued(change: Callable[[Json], Any]) -> Callable[[Json], Json]:
    return lambda given: {**given, "value": change(given["value"])}


# cluster: row of the matrix, what is done to its (last) broker, what its letter says
HURT: dict[str, tuple[int, Hurt, str]] = {
    "silent": (5, wired(never_answers), "timeout"),
    "drip": (6, wired(lambda handler: trickle(handler, b"HTTP/1.1 200 OK\r\n\r\n[")), "timeout"),
    "endless": (7, wired(endless), "too_large"),
    "bomb": (8, wired(bomb), "too_large"),
    "broken-off": (9, wired(cut(b'[{"value":{"kafka', None)), "cut_off"),
    "wrong-length": (10, wired(cut(b'[{"value":{"kafka', 500)), "cut_off"),
    "login-page": (11, wired(lambda h: answer(h, b"<html>canary-text</html>", Content_Type="text/html")), "not_json"),
    "locked": (12, wired(lambda handler: answer(handler, b"canary-text", 401)), "auth"),
    "busy": (13, wired(lambda handler: answer(handler, b"", 503)), "http"),
    "moved": (14, wired(lambda h: answer(h, b"", 302, Location="http://169.254.169.254/canary-text")), "redirect"),
    "bad-name": (18, body(spoiled), f"{STATE}: Jolokia status 400"),
    "bad-name-400": (19, refused_with_400, f"{STATE}: Jolokia status 400"),
    "absent": (20, entry(REASSIGNING, lambda given: {"status": 404, "error": "canary-text"}), f"lacks {REASSIGNING}"),
    "no-ends": (20, entry(LOG_END, lambda given: {"status": 404}), f"no replica has {LOG_END}"),
    "limited": (21, entry(LOG_END, valued(lambda value: "[Object limit exceeded]")), "cut off by the agent's limits"),
    "cut-short": (22, entry(LOG_START, valued(lambda value: dict(list(value.items())[:9]))), "9 replicas read, the"),
    "as-text": (23, entry(LOG_END, valued(lambda value: first_of(value, str))), "cut off by the agent's limits"),
    "fewer": (24, body(lambda broker, answers: answers[:-1]), "protocol"),
    "swapped": (24, body(lambda broker, answers: answers[::-1]), "protocol"),
    "odd-numbers": (
        25, entry(LOG_END, valued(lambda v: first_of(v, lambda one: {"Value": 2**63}))), "1 values were not usable"
    ),
    "repeated": (26, wired(repeated), "values were not usable"),
    "nested": (57, wired(lambda handler: answer(handler, b"[" * 100_000)), "cut_off"),
}  # fmt: skip
# what is done to the fleet file's addresses and to Kafka itself instead
ELSEWHERE = {
    "gone": (1, "unreachable"),
    "half-gone": (2, "unreachable"),
    "dropped": (3, "timeout"),
    "no-name": (4, "dns"),
    "untrusted": (17, "tls"),
}
# what happens in any cluster, and must not look like a bug
MOVES = {"contested": 2, "growing": 1, "idle": 1}
SIZES = HEALTHY | dict.fromkeys([*HURT, *ELSEWHERE], 1) | {"gone": 2, "half-gone": 2} | MOVES


def harm(fleet: Fleet, stack: ExitStack, folder: Path) -> None:
    """Let every cluster but the healthy ones have its fault."""
    for name, (_row, hurt, _said) in HURT.items():
        hurt(fleet.brokers[name][-1])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{free.getsockname()[1]}/jolokia"
    fleet.unreachable.add("gone")
    fleet.impatient |= {"silent", "drip", "dropped"}
    fleet.dead.add(("half-gone", 2))
    certificate, key = Authority(folder / "unknown-ca", "unknown").issue("agent", "localhost")
    both = folder / "agent.pem"
    both.write_bytes(certificate.read_bytes() + key.read_bytes())
    strange = stack.enter_context(agent(Broker("untrusted", 1, 1), both))
    fleet.urls = {
        ("gone", 1): closed,
        ("gone", 2): f"{closed}/2",
        ("half-gone", 2): closed,
        ("dropped", 1): stack.enter_context(dropping()),
        ("no-name", 1): "http://broker.invalid:8778/jolokia",
        ("untrusted", 1): strange.url,
    }


def moving(fleet: Fleet) -> Callable[[int], None]:
    """Two leaders and none at the second sweep; partitions added at the second, a topic deleted at the third."""
    for broker, led in zip(fleet.brokers["contested"], ({0, 4}, {0, 1, 3, 5}), strict=True):
        broker.led[1] = led
    fleet.brokers["idle"][0].records = 0
    fleet.brokers["idle"][0].topics = {"orders": 1}

    def each(number: int) -> None:
        fleet.brokers["growing"][0].topics = {"orders": 6 if number == 0 else 8} | ({"old": 3} if number < 2 else {})

    return each
