"""Consumer fetches at one broker, ms by ms: takes arrivals and readers, gives what a close look reads there.

The rules are those of Kafka's DelayedFetch: a fetch ends at once where enough is readable, else when an append wakes it
and enough is there, else at its wait, with whatever is there. An affected follower wakes nobody.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Any

Row = dict[str, Any]
Arrivals = list[tuple[float, int]]  # ms and bytes, when they become readable here, in order


@dataclass
class Partition:
    """A partition at the broker. led: by it; read_committed readers wait for `committed`, others for `arrivals`."""

    topic: str
    number: int
    arrivals: Arrivals
    led: bool = True
    committed: Arrivals | None = None


@dataclass
class Reader:
    """A consumer of some partitions; thinks: ms from an answer to the next fetch, drawn anew each time.

    by_turns: it still holds records after each answer, and asks for an idle partition alone meanwhile.
    """

    reads: list[Partition]
    wait: float = 500.0
    min_bytes: int = 1
    read_committed: bool = False
    by_turns: bool = False
    thinks: Callable[[Random], float] = field(default=lambda rng: rng.uniform(1, 4))


def steady(rng: Random, per_s: float, ms: float, size: int = 200) -> Arrivals:
    """A batch after another, a fifth of the pace early or late."""
    return [(n * 1000 / per_s + rng.uniform(-0.2, 0.2) * 1000 / per_s, size) for n in range(1, int(per_s * ms / 1000))]


def random(rng: Random, per_s: float, ms: float, size: int = 200) -> Arrivals:
    """Poisson arrivals."""
    found, at = [], rng.expovariate(per_s / 1000)
    while at < ms:
        found.append((at, size))
        at += rng.expovariate(per_s / 1000)
    return found


def bursts(rng: Random, every_s: float, lasts_ms: float, many: int, ms: float, size: int = 200) -> Arrivals:
    """Batches that come together for a moment, then nothing."""
    begin, found = rng.uniform(0, 1000 * every_s), []
    while begin < ms:
        found += [(begin + lasts_ms * n / many, size) for n in range(many)]
        begin += 1000 * every_s
    return found


def answers(rng: Random, reader: Reader, ms: float, wakes: bool) -> list[tuple[float, bool, dict[str, int]]]:
    """Each answer of a reader: when, whether the wait was over, bytes by topic. wakes: followers wake their readers."""
    readable = [p.committed if reader.read_committed and p.committed is not None else p.arrivals for p in reader.reads]
    events = sorted((at, n) for n, some in enumerate(readable) for at, _size in some)
    sizes = [iter(some) for some in readable]
    woken = [part.led or wakes for part in reader.reads]
    found: list[tuple[float, bool, dict[str, int]]] = []
    at, place, held = rng.uniform(0, reader.wait), 0, [0] * len(readable)

    def take(until: float, first: bool = False) -> float:
        """Hold what arrives up to a moment; ends at the first append that ends the fetch, where one does."""
        nonlocal place
        while place < len(events) and events[place][0] <= until:
            when, number = events[place]
            held[number] += next(sizes[number])[1]
            place += 1
            if not first and woken[number] and sum(held) >= reader.min_bytes:
                return when
        return until

    while at < ms:
        take(at, first=True)
        prompt = sum(held) >= reader.min_bytes
        ends = at if prompt else take(at + reader.wait)
        expired = not prompt and ends >= at + reader.wait
        sent: dict[str, int] = {}
        for part, many in zip(reader.reads, held, strict=True):
            sent[part.topic] = sent.get(part.topic, 0) + many
        found.append((ends, expired, sent))
        held = [0] * len(readable)
        at = ends + reader.thinks(rng)
        if reader.by_turns and any(sent.values()):
            found.append((at + reader.wait, True, {}))
            at += reader.wait + reader.thinks(rng)
    return found


def look(
    rng: Random, parts: list[Partition], readers: list[Reader], wakes: bool, ms: float = 15_000, slot: float = 250
) -> list[Row]:
    """Rows of look_reads: counters of the broker and its topics, and the offsets of its partitions, slot by slot."""
    made = [one for reader in readers for one in answers(rng, reader, ms, wakes)]
    topics = sorted({part.topic for part in parts})
    # bytes are counted first, then the expiry, then the end of the request
    counters: dict[tuple[str, str | None, int | None], tuple[list[float], list[int]]] = {
        ("bytes_out", None, None): _summed((ends, sum(sent.values())) for ends, _e, sent in made),
        ("expired_consumer_fetches", None, None): _summed((ends + 0.3, 1) for ends, expired, _s in made if expired),
        ("consumer_fetches", None, None): _summed((ends + 1, 1) for ends, _e, _s in made),
    }
    for topic in topics:
        counters["bytes_out", topic, None] = _summed((ends, sent.get(topic, 0)) for ends, _e, sent in made)
    for part in parts:
        for metric, some in (("high_watermark", part.arrivals), ("last_stable_offset", part.committed)):
            seen = part.arrivals if some is None else some
            counters[metric, part.topic, part.number] = _summed((when, 1) for when, _size in seen)
    rows: list[Row] = []
    for number in range(int(ms / slot) + 1):
        at, spent = number * slot + rng.uniform(0, 8), rng.randint(2, 8)
        for (metric, name, partition), (moments, sums) in counters.items():
            rows.append({"slot": number, "offset_ms": round(at), "spent_ms": spent, "metric": metric, "topic": name,
                         "partition": partition, "value": 1000 + sums[bisect_right(moments, at)]})  # fmt: skip
    return rows


def _summed(counted: Iterable[tuple[float, int]]) -> tuple[list[float], list[int]]:
    """Moments in order, and the sum before each of them and after the last."""
    ordered = sorted(counted)
    return [at for at, _many in ordered], [0, *accumulate(many for _at, many in ordered)]
