"""The statistic of fetch_latency equals a second computation from its page, on random small fleets."""

import pytest

from support.generators.fleetgen.shape import DS
from support.generators.generated import Generated
from support.oracles.fetch_oracle import FetchOracle
from support.oracles.same_rows import Row, limits, of_kind, same, same_detections, same_states

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
WINDOW = ("cluster", "broker", "time_window")
TOPIC = ("cluster", "broker", "topic", "time_window")
SUMMED = (*WINDOW, "seconds", "from_at", "to_at", "to_sweep", "longest_s", "fetches", "expired", "wait_s")
TRAFFIC = (*TOPIC, "seconds", "bytes_out", "bytes_in", "messages_in", "batches", "leaders", "replicas")
GROUPS = ("cluster", "topic", "leader", "time_window", "records", "groups")
READERS = ("cluster", "topic", "time_window", "groups")
JUDGED = (
    *WINDOW, "excess", "busy_fetches", "busy_ratio", "prompt_share", "batches_per_s", "legal_expired", "legal_fetches",
    "cause", "delivered", "polled",
)  # fmt: skip


@pytest.fixture(scope="module")
def oracle(fleets: Generated) -> FetchOracle:
    return FetchOracle(fleets.home, DS, limits("fetch_latency"))


def step(fleets: Generated, view: str, groups: str = "") -> list[Row]:
    """Rows of a step. groups: the column that has some, which have no order in it."""
    rows = of_kind(fleets.views[view], "fetch")
    return [row | {"groups": sorted(row[groups] or ())} for row in rows] if groups else rows


def windows(fleets: Generated) -> list[Row]:
    """What each interval that ends a window has of the whole window."""
    ends = [row for row in step(fleets, "fetch_spans") if row["to_sweep"] == row["last_sweep"]]
    names = {"seconds": "window_s", "from_at": "window_from", "to_at": "window_to"}
    return [row | {name: row[column] for name, column in names.items()} for row in ends]


def test_what_is_read_where(fleets: Generated, oracle: FetchOracle) -> None:
    """Every interval, every window with its wait, traffic, progress of groups, and who is passed by for whom."""
    same(step(fleets, "fetch_spans"), oracle.spans, ("cluster", "broker", "kind", "to_sweep", "time_window"))
    same(windows(fleets), list(oracle.windows.values()), SUMMED)
    same(step(fleets, "topic_windows"), list(oracle.traffic.values()), TRAFFIC)
    led = [row for row in step(fleets, "group_windows", "groups") if not row["all_leaders"]]
    same(led, list(oracle.got_on.values()), GROUPS)
    topics = [row for row in step(fleets, "group_windows", "groups") if row["all_leaders"]]
    readers = [(*key, groups) for key, groups in oracle.readers.items()]
    same(topics, [dict(zip(READERS, one, strict=True)) for one in readers], READERS)
    bypassed = [row for row in step(fleets, "topic_windows", "passing_by") if row["bypassed"]]
    same(bypassed, list(oracle.bypassed.values()), (*TOPIC, "groups"))
    followed = [row for row in step(fleets, "topic_windows", "readers") if row["followed"]]
    same(followed, list(oracle.followers.values()), (*TOPIC, "bytes_out", "groups"))
    assert len({window["wait_s"] for window in oracle.windows.values()}) >= 3


@pytest.mark.fault(59)
def test_fetch_latency(fleets: Generated, oracle: FetchOracle) -> None:
    """What is legal, what is left, the cause of every window, and what is detected with its figures."""
    legal = [
        dict(zip((*WINDOW, "legal_expired", "legal_fetches"), (*key, *counts), strict=True))
        for key, counts in oracle.legal.items()
    ]
    read = [row for row in step(fleets, "legal_waits") if row["legal_expired"] is not None]
    same(read, legal, (*WINDOW, "legal_expired", "legal_fetches"))
    same(step(fleets, "caused_windows"), oracle.judged, JUDGED)
    assert {one["cause"] for one in oracle.judged} == {"follower", "redirect", "min_bytes", None}
    detections = list(oracle.detections())
    assert {one["cause"] for one in detections} == {"follower", "redirect", "min_bytes"}
    same_detections("fetch_latency", fleets.detections("fetch_latency", "fetch"), detections)
    same_states("fetch_latency", fleets.results, "fetch", oracle.unmeasured())
