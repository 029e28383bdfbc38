"""The way from one broker release to another: takes both and the cluster's facts, gives sentences in order.

The rules are those of Kafka's upgrade notes: two rolls under ZooKeeper, feature levels under KRaft, 3.9 as the only
bridge from ZooKeeper, and 3.3 as the oldest metadata.version that 4.x starts with.
"""

import datetime as dt

from kafka_fleet.knowledge.facts import ClusterFacts, Mode
from kafka_fleet.knowledge.predicates import protocol_level
from kafka_fleet.knowledge.refused_requests import FOUR
from kafka_fleet.knowledge.releases import Release, ReleaseError, catalogue, comparable_release
from kafka_fleet.upgrade.old_protocol import CLIENT_FLOOR, client_sentences

BRIDGE = (3, 9)  # the last line that runs with ZooKeeper
KRAFT_READY = Release((3, 3, 0))
_BROKER_JAVA = ((FOUR, 17), (Release((2, 0, 0)), 8))  # Kafka's upgrade notes: from this release on, at least this
_OLD_BROKERS = Release((2, 1, 0))  # clients of 4.x speak to brokers from here on


def bridge(on: dt.date | None = None) -> Release:
    """The newest 3.9 of a day: the last line that runs with ZooKeeper and can migrate away from it."""
    newest = catalogue().latest_patch(BRIDGE, on) or catalogue().latest_patch(BRIDGE)
    if newest is None:
        raise ReleaseError("the release table has no 3.9, without which no cluster can leave ZooKeeper")
    return newest


def mode_of(facts: ClusterFacts, release: Release) -> Mode | None:
    """The mode that was read, else what the release leaves possible: below 2.8 ZooKeeper, from 4.0 on KRaft."""
    if facts.mode is not None:
        return facts.mode
    return "ZooKeeper" if release < Release((2, 8, 0)) else ("KRaft" if release >= FOUR else None)


def _roll(target: Release) -> str:
    return (
        f"Roll the brokers to {target} one at a time; wait until no partition is under-replicated before each next one."
    )


def protocol(facts: ClusterFacts, start: Release) -> str:
    """The protocol version in force: the lowest that brokers report, which may be below their release on purpose."""
    read = [b.configs.get("inter.broker.protocol.version") for b in facts.brokers if b.is_broker]
    known = [(found, text) for text in read if text and (found := protocol_level(text)) is not None]
    return min(known)[1] if known and len(known) == len(read) else start.line_text


def _zookeeper(start: Release, target: Release, facts: ClusterFacts) -> list[str]:
    if start.line == target.line:
        return [_roll(target)]
    pin = f"Pin inter.broker.protocol.version={protocol(facts, start)}, what is in force now,"
    if start < Release((0, 11, 0, 0)):
        pin += f" and log.message.format.version={start.line_text}"
    return [
        f"{pin} in every broker's configuration.",
        _roll(target),
        f"When {target} has proven itself, set inter.broker.protocol.version={target.line_text} and roll again; "
        "up to here the way back is open.",
    ]


def _kraft(start: Release, target: Release) -> list[str]:
    steps = [
        f"Roll the controllers to {target}, one at a time, then the brokers; wait for full in-sync replicas each time."
    ]
    if start.line != target.line:
        flag = "--release-version" if target >= FOUR else "--metadata"
        steps.append(
            f"When {target} has proven itself, finish with kafka-features.sh upgrade {flag} {target.line_text}; "
            "a downgrade past a metadata change is not possible."
        )
    return steps


def _to_four(start: Release, target: Release, facts: ClusterFacts, mode: Mode | None, on: dt.date | None) -> list[str]:
    between = bridge(on)
    steps: list[str] = []
    if mode == "ZooKeeper":
        steps += _zookeeper(start, between, facts) if start < between else []
        steps.append(
            f"Migrate from ZooKeeper to KRaft on {between} at inter.broker.protocol.version={between.line_text}; "
            "change no protocol or metadata version meanwhile. After it is finalized there is no way back."
        )
        start = between
    elif start < KRAFT_READY:
        steps += [f"Go to {between} first: 4.x starts only from 3.3 or later.", *_kraft(start, between)]
        start = between
    elif start < FOUR:
        have = protocol_level(facts.metadata_version or "")
        if have is None:
            steps.append("Check with kafka-features.sh describe that metadata.version is at least 3.3: 4.x needs it.")
        elif have < (3, 3, 3):
            steps.append(f"Raise metadata.version from {facts.metadata_version} to at least 3.3: 4.x needs it.")
    if mode is None:
        steps.append(
            f"Whether this cluster still runs on ZooKeeper was not read; if so, migrate it on {between} before 4.x."
        )
    if start < FOUR:
        steps.append("Give brokers and tools Java 17, and move logging settings to log4j2: 4.x needs both.")
        steps += client_sentences(facts)
    return steps + _kraft(start, target)


def steps(start: Release, target: Release, facts: ClusterFacts, on: dt.date | None = None) -> list[str]:
    """Sentences from `start` to `target` (later than `start`), in the order in which they are done on that day."""
    mode = mode_of(facts, start)
    if target >= FOUR:
        done = _to_four(start, target, facts, mode, on)
    elif mode == "ZooKeeper":
        done = _zookeeper(start, target, facts)
    elif mode == "KRaft":
        done = _kraft(start, target)
    else:
        done = [
            _roll(target),
            "Whether this cluster runs KRaft or ZooKeeper was not read: finish with kafka-features.sh upgrade (KRaft) "
            f"or by a second roll with inter.broker.protocol.version={target.line_text} (ZooKeeper).",
        ]
    oauth = any("OAUTHBEARER" in (b.configs.get("sasl.enabled.mechanisms") or "").upper() for b in facts.brokers)
    if oauth and start < FOUR <= target:
        done.insert(
            0, "Allow the OAUTHBEARER URLs by -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls: 4.x allows none."
        )
    if oauth and start < Release((4, 4, 0)) <= target:
        done.insert(0, "Set sasl.oauthbearer.expected.audience: from 4.4 the broker does not start without it.")
    return done


def java_floor(target: Release) -> int | None:
    """The oldest Java that brokers of the target start with, None where no release that is met here is older."""
    return next((version for first, version in _BROKER_JAVA if target >= first), None)


def client_floor(target: Release) -> str | None:
    """The oldest Java client line that the target still serves, None where every one is served."""
    return CLIENT_FLOOR if target >= FOUR else None


def client_steps(component: str, target: Release, closes: list[str], facts: ClusterFacts) -> list[str]:
    """Sentences for the owners of a Java client fleet that goes to `target` to close these advisories."""
    done = []
    if target >= FOUR:
        low = [b for b in facts.brokers if (found := comparable_release(b.release)) is None or found < _OLD_BROKERS]
        if low or not facts.brokers:
            done.append("See that every broker runs 2.1 or later before a client goes to 4.x.")
        done.append("Give the client applications Java 11: 4.x needs it.")
    done.append(f"Raise the Java library of the {component} fleet to {target} for {', '.join(closes)}.")
    return done
