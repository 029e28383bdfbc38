"""Random metrics that producers push (KIP-714): takes a random source, gives rows of `client_metrics` for each sweep.

Some producers give records up when brokers refuse batches and send none again, some send them again, some do anything.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
TOPICS = "orders", "payments"


class RandomProducer:
    """One client: how it takes refused batches, what it tells of itself, and what its receivers have added up."""

    def __init__(self, rng: Random, number: int) -> None:
        self.rng, self.number = rng, number
        self.kind = rng.choice(("gives_up", "gives_up", "gives_up", "sends_again", "anything"))
        self.counts = {topic: {"record_sends": 0, "record_errors": 0, "record_retries": 0} for topic in TOPICS}
        self.waits = rng.choice((None, 5.0, 5.0, 200.0, 60_000.0))
        self.receiver = rng.choice((None, "broker-1"))
        self.named = rng.random() < 0.8
        self.release = rng.choice((None, None, "1.1.1", "2.0.1", "3.9.1"))

    def rows(self, at: datetime, refused: bool) -> Iterator[Row]:
        """The samples of a sweep. refused: whether brokers refused some batch since the one before."""
        rng = self.rng
        for counts in self.counts.values():
            counts["record_sends"] += rng.randint(10, 900)
            if self.kind == "anything":
                counts["record_errors"] += rng.choice((0, 0, 0, 4))
                counts["record_retries"] += rng.choice((0, 0, 0, 4))
            elif refused and rng.random() < 0.7:
                name = "record_errors" if self.kind == "gives_up" else "record_retries"
                counts[name] += rng.randint(1, 20)
        if rng.random() < 0.04:  # began anew, or another receiver
            for counts in self.counts.values():
                counts.update(dict.fromkeys(counts, 0))
        if rng.random() < 0.05:
            return
        read = at + timedelta(microseconds=rng.randrange(5_000_000))
        who = {"client_id": f"app-{self.number}", "client_instance_id": f"i-{self.number}" if self.named else None,
               "instance": self.receiver, "read_at": read}  # fmt: skip
        whole = {name: sum(counts[name] for counts in self.counts.values()) for name in self.counts[TOPICS[0]]}
        if rng.random() < 0.04:
            whole["record_retries"] = None  # type: ignore[assignment]
        yield {**who, "topic": None, **whole, "queue_time_max_ms": self.waits, "software_version": self.release}
        for topic, counts in self.counts.items():
            yield {**who, "topic": topic, **counts}
