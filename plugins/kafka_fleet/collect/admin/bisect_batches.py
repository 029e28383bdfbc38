"""Requests for many things at once: takes their names and a read, gives its answers, and counts what none tells of.

One thing can make the answer for all of a batch unusable: it refuses, cannot be decoded, or is too large. So a batch
that fails is asked again in halves, until the one is found.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from kafka_fleet.collect.admin.faults import FAULTS, of_content, sentence

BATCH = 500  # topics or groups per request: a bounded answer on clusters with very many
HALVED = 100  # requests that are halved in one read: some ten find one thing in a batch


class Lost:
    """Things of one read that gave nothing, and why: `told` is one sentence, None when there are none."""

    def __init__(self, things: str) -> None:
        self.things = things
        self.why: Counter[str] = Counter()

    def add(self, count: int, why: str) -> None:
        """So many more, which may be none."""
        if count:
            self.why[why] += count

    def told(self) -> str | None:
        """Each reason with its number, the most frequent first; three of them."""
        reasons = [f"{count:,} {self.things}: {why}" for why, count in self.why.most_common(3)]
        return "; ".join(reasons) or None


def batches(names: list[str]) -> Iterator[list[str]]:
    """The names in lists of at most BATCH."""
    for start in range(0, len(names), BATCH):
        yield names[start : start + BATCH]


def read_bisecting(
    names: list[str], in_time: Callable[[], None], read: Callable[[list[str]], Any], lost: Lost
) -> list[Any]:
    """What `read` gives of the names, batch by batch; a batch that it cannot read is tried in halves.

    Names that cannot be read even alone, or where no smaller request would help, are counted in `lost`.
    """
    found, todo, left = [], list(batches(names)), HALVED
    while todo:
        batch = todo.pop(0)
        try:
            in_time()
            found.append(read(batch))
        except FAULTS as error:
            if len(batch) > 1 and left and of_content(error):
                left -= 1
                todo[:0] = [batch[: len(batch) // 2], batch[len(batch) // 2 :]]
            else:
                lost.add(len(batch), sentence(error))
    return found
