"""Clients of one workload: takes its JSON as an argument, writes, reads and holds connections until it is ended.

python -m benchmarks.workload_clients '{"bootstrap": [...], "writers": [...], "readers": [...], "held": [...]}'

A writer is `{"topic", "shape", "per_s", ...}`, see SHAPES. A reader is `{"topic", "group" or null, "rack" or null,
"isolation"}`; without a group it is assigned every partition, and commits nothing. `also`: further topics of a member;
`slow_s`: it takes a record at a time, and so long for each. What is held is `{"host", "port",
"connections", "back_s"}`: idle connections, each of which comes back within `back_s` seconds after a cut. Prints
`ready` when every reader has its partitions, then `sent read open` once a second.
"""

import asyncio
import json
import random
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

JOIN_S = 40  # on a starved machine a client now and then waits for ever for its group's coordinator
TICK_S = 0.02
VALUE = bytes(120)
Json = dict[str, Any]
counts: Counter[str] = Counter()


def _steady(per_s: float) -> Iterator[tuple[float, int]]:
    return iter(lambda: (1 / per_s, 1), None)


def _random(per_s: float) -> Iterator[tuple[float, int]]:
    drawn = random.Random(7)  # noqa: S311
    return iter(lambda: (drawn.expovariate(per_s), 1), None)


def _bursts(per_s: float, every_s: float = 20.0, length_s: float = 2.0) -> Iterator[tuple[float, int]]:
    """The same mean, all of it within the first two of 20 s."""
    each, many = TICK_S, round(length_s / TICK_S)
    size = max(1, round(per_s * every_s / many))
    while True:
        yield from [(each, size)] * (many - 1)
        yield every_s - (many - 1) * each, size


def _together(per_s: float, every_s: float = 10.0) -> Iterator[tuple[float, int]]:
    """Agents that publish at :00, :10, :20 … of the wall clock, all of them within a few milliseconds."""
    while True:
        yield every_s - time.time() % every_s, round(per_s * every_s)


SHAPES: dict[str, Callable[[float], Iterator[tuple[float, int]]]] = {
    "steady": _steady,
    "random": _random,
    "bursts": _bursts,
    "together": _together,
}


def write(bootstrap: list[str], writer: Json) -> None:
    """Send for ever. `keys`: so many different keys; `hot`: partitions that get `hot_share` of the records, in turn.

    `commit_s`: in transactions that are committed so often; `at_once`: their records are written right before it.
    """
    topic, per_s, commit_s = writer["topic"], writer["per_s"], writer.get("commit_s")
    settings: Json = {"linger_ms": 0, "acks": "all", "batch_size": 1100, "metadata_max_age_ms": 2000}
    if commit_s:
        settings |= {"transactional_id": f"of-{topic}"}
    producer = KafkaProducer(bootstrap_servers=bootstrap, **settings)
    if commit_s:
        producer.init_transactions()
    at_once = bool(commit_s and writer.get("at_once"))
    gaps = _together(per_s, commit_s or 10.0) if at_once else SHAPES[writer.get("shape", "steady")](per_s)
    hot, share, keys, drawn = writer.get("hot"), writer.get("hot_share", 0.5), writer.get("keys"), random.Random(3)  # noqa: S311
    due = time.monotonic()
    open_since, number = 0.0, 0
    for gap, many in gaps:
        due = max(due + gap, time.monotonic() - 1)  # a machine that held it up is not made up for by a flood
        time.sleep(max(0.0, due - time.monotonic()))
        if commit_s and not open_since:
            producer.begin_transaction()
            open_since = time.monotonic()
        for _ in range(many):
            number += 1
            key = b"key-%d" % (number % keys) if keys else None
            pinned = hot[number % len(hot)] if hot and drawn.random() < share else None
            producer.send(topic, key=key, value=VALUE, partition=pinned)
        counts["sent"] += many
        if commit_s and (at_once or time.monotonic() - open_since >= commit_s):
            producer.commit_transaction()
            open_since = 0.0


def _joined(bootstrap: list[str], reader: Json, name: str) -> KafkaConsumer:
    topic, group = reader["topic"], reader.get("group")
    settings: Json = {
        "group_id": group, "client_id": name, "auto_offset_reset": "latest", "fetch_max_wait_ms": 500,
        "fetch_min_bytes": 1, "enable_auto_commit": group is not None, "client_rack": reader.get("rack") or "",
        "isolation_level": reader.get("isolation") or "read_uncommitted", "metadata_max_age_ms": 300_000,
        "max_poll_records": 1 if reader.get("slow_s") else 500,
    }  # fmt: skip
    while True:
        consumer = KafkaConsumer(bootstrap_servers=bootstrap, **settings)
        deadline = time.monotonic() + JOIN_S
        if group is None:
            while time.monotonic() < deadline:
                if partitions := consumer.partitions_for_topic(topic):
                    consumer.assign([TopicPartition(topic, one) for one in partitions])
                    return consumer
        else:
            consumer.subscribe([topic, *reader.get("also", ())])
            while time.monotonic() < deadline:
                consumer.poll(timeout_ms=500)
                if consumer.assignment():
                    return consumer
        with suppress(Exception):
            consumer.close(autocommit=False, timeout_ms=1_000)


def read(bootstrap: list[str], reader: Json, name: str, ready: threading.Semaphore) -> None:
    """Join or be assigned, then poll for ever; records are thrown away."""
    consumer = _joined(bootstrap, reader, name)
    ready.release()
    while True:
        for records in consumer.poll(timeout_ms=2_000).values():
            counts["read"] += len(records)
            time.sleep(reader.get("slow_s", 0.0))


def request(api: int, version: int, correlation: int, body: bytes = b"") -> bytes:
    """One request of the Kafka protocol with a header of version 1, its length in front."""
    client = b"held"
    header = struct.pack(">hhih", api, version, correlation, len(client)) + client
    return struct.pack(">i", len(header) + len(body)) + header + body


async def _hold(one: Json, first: float) -> None:
    """One idle connection, for ever: it asks ApiVersions, as a client does first, and comes back after each cut."""
    await asyncio.sleep(first)
    while True:
        writer = None
        try:
            reader, writer = await asyncio.open_connection(one["host"], one["port"])
            writer.write(request(18, 0, 1))
            await reader.readexactly(8)
            counts["open"] += 1
            try:
                while await reader.read(4096):
                    pass
            finally:
                counts["open"] -= 1
            await asyncio.sleep(random.uniform(0, one["back_s"]))  # noqa: S311
        except (OSError, EOFError):
            await asyncio.sleep(random.uniform(1, 5))  # noqa: S311 - refused while the broker is down
        finally:
            if writer:
                writer.close()


async def hold(held: list[Json]) -> None:
    """All that are held; they are made over twenty seconds."""
    await asyncio.gather(*(
        _hold(one, 20 * number / one["connections"]) for one in held for number in range(one["connections"])
    ))  # fmt: skip


def main(told: Json) -> None:
    """Start everything, then report for ever."""
    bootstrap, ready = told["bootstrap"], threading.Semaphore(0)
    readers = told.get("readers", [])
    for number, reader in enumerate(readers):
        # ids in order: the range assignor gives member i of n partition i of n
        arguments = (bootstrap, reader, f"{reader.get('group') or 'alone'}-{number:03d}", ready)
        threading.Thread(target=read, args=arguments, daemon=True).start()
        time.sleep(0.05)
    if held := told.get("held"):
        threading.Thread(target=lambda: asyncio.run(hold(held)), daemon=True).start()
    for _ in readers:
        ready.acquire()
    for writer in told.get("writers", []):
        threading.Thread(target=write, args=(bootstrap, writer), daemon=True).start()
    print("ready", flush=True)
    while True:
        time.sleep(1)
        print(counts["sent"], counts["read"], counts["open"], flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
