"""A small world of topics and consumer groups, moved at random: takes a random source, gives its state after each step.

Sizes of steps lie at, just below and just above the thresholds of partition_growth and offset_rewind.
"""

from collections import Counter
from datetime import datetime
from random import Random
from typing import Any

Row = dict[str, Any]
Place = tuple[str, int]  # topic, partition
OFFSETS = "__consumer_offsets"
LONG_AGO = 1_795_000_000_000  # ms since epoch, a week before the day
# one hash code is the smallest integer, one is of characters beyond 16 bits, one belongs to no application
NAMES = (
    "billing", "billing_eu", "audit%1", "polygenelubricants", "ключ-𝄞", "console-consumer-4711", "console-consumer-x",
)  # fmt: skip
DECLARED = ("*", "billing*", "billing?eu", "audit%*", "audit*1", "con*", "billing_e?", "poly*[s]", "b.lling", "*𝄞")
SKIPPED = (0, 35, 49, 50, 99, 100, 101, 400)  # min_skipped is 100
BACK = (1, 10, 19, 20, 21, 500)  # min_rewound and min_lost are 20
SIZE = 100  # bytes of a record


class RandomGroups:
    """Brokers, partitions with logs, and groups with offsets."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.calm = rng.random() < 0.4  # no restarts and nothing unread
        self.release = rng.choice(("1.1.1", "2.8.2", "3.8.0", "4.1.1"))
        self.brokers = list(range(1, rng.choice((1, 2, 3, 3)) + 1))
        self.started = dict.fromkeys(self.brokers, LONG_AGO)
        self.counts: dict[int, Counter[str]] = {broker: Counter(messages=1) for broker in self.brokers}
        self.meters: dict[int, dict[str, Counter[str]]] = {broker: {} for broker in self.brokers}
        self.cleaner = {
            "dead": rng.choice((0, 0, 1)), "idle_ms": rng.choice((3000, 3_599_999, 3_600_000)),
            "uncleanable": rng.choice(((0,), (0, 0), (0, 2))),
        }  # fmt: skip
        self.ids: dict[str, str] = {}
        self.parts: dict[Place, Row] = {}
        for topic in ("orders", "odd.topic_1", "late")[: rng.randint(1, 3)]:
            self._create(topic, rng.randint(1, 3), rng.choice((0, 1000)))
        if self._chance(0.85):
            self._create(OFFSETS, rng.choice((1, 2, 3, 7)), 50)
        self.groups: dict[str, Row] = {
            name: {"listed": self._chance(0.7), "state": rng.choice(("Stable", "Stable", "Empty")),
                   "hides": self._chance(0.1), "offsets": {}, "assigned": set(),
                   "reads": rng.sample(sorted({t for t, _p in self.parts if t != OFFSETS}), 1)}
            for name in rng.sample(NAMES, rng.randint(2, 4))
        }  # fmt: skip
        self.sent = rng.choice((0, 0, 0.8, 1, 1.4, 4))  # bytes sent, of those that the groups' progress needs

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _create(self, topic: str, count: int, end: int) -> None:
        self.ids[topic] = f"{self.rng.getrandbits(60):022d}"
        for number in range(count):
            self._add(topic, number, end)

    def _add(self, topic: str, number: int, end: int) -> None:
        rng = self.rng
        replicas = rng.sample(self.brokers, rng.randint(1, len(self.brokers)))
        size = rng.choice((150_000_000, 999_999_999, 1_000_000_000, 2_000_000_000)) if topic == OFFSETS else 0
        self.parts[topic, number] = {
            "start": rng.choice((0, 0, min(end, 30))), "end": end, "replicas": replicas, "leader": replicas[0],
            "isr": set(replicas), "size": size, "behind": {}, "also_leads": None, "rate": rng.choice((0, 5, 120)),
        }  # fmt: skip

    def step(self, at: datetime) -> None:
        """What happens until a sweep."""
        for broker in self.brokers:
            if not self.calm and self._chance(0.06):
                self._restart(broker, at)
        before = {place: one["end"] for place, one in self.parts.items()}
        self._topics()
        read: Counter[str] = Counter()
        for name, one in self.groups.items():
            self._group(name, one, read)
        if self._chance(0.15):
            self._load_old_offsets()
        self._count(before, read)

    def _restart(self, broker: int, at: datetime) -> None:
        began = round(1000 * at.timestamp()) - self.rng.choice((1_000, 10_000, 29_999, 30_000, 30_001))
        if began > self.started[broker] + 600_000:
            self.started[broker] = began
            self.counts[broker] = Counter(messages=1)
            self.meters[broker] = {}

    def _topics(self) -> None:
        rng = self.rng
        for (topic, _number), one in self.parts.items():
            one["end"] += round(one["rate"] * rng.choice((0, 1, 2)))
            one["start"] = max(one["start"], rng.randint(0, one["end"])) if self._chance(0.04) else one["start"]
            one["also_leads"] = None
            one["behind"] = {broker: rng.choice((0, 0, 3, 30)) for broker in one["replicas"] if broker != one["leader"]}
            if self._chance(0.2):
                one["isr"] = {broker for broker in one["replicas"] if self._chance(0.5)} | {one["leader"]}
            if self._chance(0.12):
                self._move(one, at_loss=topic != OFFSETS and self._chance(0.6))
            one["size"] += 1_000_000 * (topic == OFFSETS)
        for topic in sorted({topic for topic, _number in self.parts if topic != OFFSETS}):
            count = sum(topic == other for other, _number in self.parts)
            if self._chance(0.12):
                for number in range(count, count + rng.randint(1, 2)):
                    self._add(topic, number, rng.choice(SKIPPED))
            elif self._chance(0.04):
                self._create(topic, count, rng.choice((0, 20, 1500)))
                for one in self.groups.values():
                    kept = self._chance(0.5)
                    one["offsets"] = {p: o for p, o in one["offsets"].items() if kept or p[0] != topic}

    def _move(self, one: Row, at_loss: bool) -> None:
        outside = [broker for broker in one["replicas"] if broker not in one["isr"]]
        old, one["leader"] = one["leader"], self.rng.choice([*one["replicas"], *outside, *outside, None])
        one["also_leads"] = old if self._chance(0.2) else None
        if one["leader"] is None:
            return
        if one["leader"] not in one["isr"] and self._chance(0.5):
            self.counts[self.rng.choice(self.brokers)]["unclean"] += 1
            one["isr"] = set()
        one["isr"] |= {one["leader"]}
        one["behind"].pop(one["leader"], None)
        if at_loss:
            one["end"] = max(one["start"], one["end"] - self.rng.choice(BACK))

    def _group(self, name: str, one: Row, read: Counter[str]) -> None:
        rng = self.rng
        one["listed"] = self._chance(0.9) if one["listed"] else self._chance(0.3)
        if self._chance(0.15):
            one["state"] = rng.choice(("Stable", "Stable", "Stable", "Empty", "Dead", "PreparingRebalance", None))
        places = [place for place in self.parts if place[0] in one["reads"]]
        one["assigned"] = {place for place in places if self._chance(0.9 if place in one["assigned"] else 0.3)}
        lost = self._chance(0.05)
        for place in places:
            log, offset = self.parts[place], one["offsets"].get(place)
            if offset is None:
                if one["listed"] and self._chance(0.35):
                    at = rng.choice((log["start"], log["start"] + rng.choice(SKIPPED), log["end"], log["end"] - 10))
                    one["offsets"][place] = max(0, at)
            elif lost or self._chance(0.05):
                one.setdefault("were", {})[place] = one["offsets"].pop(place)
                counter = rng.choice(("expired", "expired", "deleted", "messages"))
                self.counts[rng.choice(self.brokers)][counter] += 1
            elif self._chance(0.06):
                one["offsets"][place] = max(0, offset - rng.choice(BACK))
            else:
                to = max(offset, min(log["end"] + rng.choice((0, 0, 5)), offset + rng.choice((0, 40, 400))))
                read[place[0]] += to - offset
                one["offsets"][place] = to
        for place in list(one.get("were", {})):
            if place not in one["offsets"] and self._chance(0.3):
                one["offsets"][place] = max(0, one["were"].pop(place) + rng.choice((-20, -19, 0, 50, 100, 400)))

    def _load_old_offsets(self) -> None:
        """Coordinators move or start, and some groups are back where they were."""
        for (topic, _number), one in self.parts.items():
            if topic == OFFSETS:
                one["leader"] = self.rng.choice(one["replicas"])
                one["isr"] |= {one["leader"]}
        for one in self.groups.values():
            if self._chance(0.7):
                one["offsets"] = {p: max(0, o - self.rng.choice(BACK)) for p, o in one["offsets"].items()}

    def _count(self, before: dict[Place, int], read: Counter[str]) -> None:
        """The brokers' counters and meters of the step; a meter may be taken away."""
        rng = self.rng
        for (topic, number), one in self.parts.items():
            leader, end = one["leader"], one["end"]
            if leader is None or topic == OFFSETS:
                continue
            many = max(0, end - before.get((topic, number), end))
            meters = self.meters[leader].setdefault(topic, Counter(messages_in=0, bytes_in=0, bytes_out=0))
            meters.update(messages_in=many, bytes_in=many * SIZE)
            meters["bytes_out"] += round(self.sent * SIZE * read.pop(topic, 0))
            self.counts[leader]["messages"] += many
        for broker in self.brokers:
            self.counts[broker].update(commits=rng.randint(0, 50), out_of_range=self._chance(0.1))
            self.counts[broker]["held"] = sum(len(one["offsets"]) for one in self.groups.values())
            self.counts[broker]["load_ms"] = rng.choice((0, 80, 9000))
            if not self.calm and self.meters[broker] and self._chance(0.02):
                self.meters[broker].popitem()
            if not self.calm and self._chance(0.01):
                self.counts[broker]["messages"] = 0
