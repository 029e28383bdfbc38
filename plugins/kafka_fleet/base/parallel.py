"""Many clusters, a few at a time: takes them and what to do with each, gives results in order, tells how it goes.

One line as each cluster finishes; while none does, every few seconds a line that names what is under way.
"""

import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

PARALLEL = 16  # at a time: some wait for a slow broker or for the disk while others are parsed
QUIET_S = 5.0  # without a cluster that finished; then the lines say what is waited for
NAMED = 4  # clusters in such a line


class Result(Protocol):
    """What a piece of work gives: it can say in a line what came of it."""

    def summary(self) -> str:
        """One line."""


Work = TypeVar("Work")
Found = TypeVar("Found", bound=Result)


def run_in_parallel(
    work: Sequence[Work],
    name: Callable[[Work], str],
    run: Callable[[Work], Found],
    parallel: int,
    say: Callable[[str], None],
) -> list[Found]:
    """Run all, `parallel` at a time, and give the results in the order of the work. Raises what a run raises."""
    begun: dict[str, float] = {}

    def started(one: Work) -> Found:
        begun[name(one)] = time.monotonic()
        try:
            return run(one)
        finally:
            begun.pop(name(one))

    done = 0
    ended: queue.SimpleQueue[Future[Found]] = queue.SimpleQueue()
    with ThreadPoolExecutor(parallel) as pool:
        futures: list[Future[Found]] = [pool.submit(started, one) for one in work]
        for future in futures:
            future.add_done_callback(ended.put)
        try:
            while done < len(work):
                try:
                    result = ended.get(timeout=QUIET_S).result()
                except queue.Empty:
                    say(f"[{done}/{len(work)}] under way: {_under_way(dict(begun))}")
                    continue
                done += 1
                say(f"[{done}/{len(work)}] {result.summary()}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def _under_way(begun: dict[str, float]) -> str:
    """The clusters that take longest, with their seconds."""
    now = time.monotonic()
    longest = sorted(begun.items(), key=lambda pair: (pair[1], pair[0]))
    names = ", ".join(f"{label} ({now - since:.0f} s)" for label, since in longest[:NAMED])
    more = len(longest) - NAMED
    return names + (f" and {more} more" if more > 0 else "")
