"""Cleaners of 3.9.1 whose map of keys is full in each pass: one that gets on, and one that falls behind."""

import pytest

from support.inspection.detections import by_cause, figures
from support.live.late_cleaner import HUGE, LOAD_PERCENT, SMALL, SWEEPS
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("late-cleaner"), pytest.mark.sampled("late-cleaner")]
NAME = "cleaner_stuck"


def read(measured: Measured, cluster: str, name: str) -> list[float]:
    """A gauge of the cleaner at each sweep."""
    rows = measured.facts("broker_sweeps", cluster=cluster, broker=1)
    return [row[name] for row in sorted(rows, key=lambda row: row["sweep_at"])]


def test_a_huge_log_that_is_compacted_for_the_first_time_is_quiet(measured: Measured) -> None:
    assert min(read(measured, HUGE, "cleaner_max_buffer_percent")) >= LOAD_PERCENT - 1, "each pass fills the map"
    dirty = read(measured, HUGE, "cleaner_max_dirty_percent")
    assert dirty[0] > dirty[-1] > 10, "the backlog shrinks, and is there at each sweep"
    state = measured.state(HUGE, NAME)
    assert (state["state"], state["detections"]) == ("quiet", [])


def test_new_keys_that_come_faster_than_they_are_compacted_make_it_late(measured: Measured) -> None:
    found = by_cause(measured, SMALL, NAME)
    assert {cause: (one["strength"], one["subjects"]) for cause, one in found.items()} == {
        "buffer": ("suggestive", ["broker 1"]),
        "overdue": ("suggestive", ["broker 1"]),
    }
    delays = read(measured, SMALL, "cleaner_max_compaction_delay_seconds")
    assert len(delays) == SWEEPS
    assert max(delays) == figures(found["overdue"])["longest time beyond max.compaction.lag.ms"]
