"""Named healthy days: nothing that happens on them is told for sure, but what is truly there.

`python -m support.generators.days.judged NAME` shows what is told of one.
"""

from functools import cache
from typing import Any

import pytest

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from support.generators.days.judged import all_judged, every_day

pytestmark = [
    pytest.mark.sampled,
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("duckdb"),
]  # the first test waits for the analysis that all read
Row = dict[str, Any]
Told = tuple[str, str]
# what is so: a partition that one tenant fills, a broker that is down, a fetcher that has ended
TRUE = {
    "hot_tenant": {("partition_skew", "key_bound")},
    "keyed_on_a_busy_leader": {("partition_skew", "key_bound")},
    "a_neighbour_stops": {("isr_stagnation", "dead_broker")},
    "a_dead_fetcher": {("availability", "dead_fetcher"), ("availability", "failed_fetch")},
    "created_this_morning": {("partition_growth", "first_start")},  # one group began at the latest offsets, as is meant
}
# what conditions say of the days' clusters, besides that most of the releases get no fixes any more
SO: set[Told] = {
    ("days-roll-in-step", "replication_factor_1"),
    ("days-clocks-brokers", "broker_clock_off"),
    ("days-clocks-collector", "broker_clock_off"),
    ("days-quotas", "clients_throttled"),
}
SUPPORT = "unsupported_release"
UNCOUNTED = {
    "days-clean-roll-282",
    "days-coordinators-282",
    "days-moved-to-kraft",
}  # the controller took its count along
UNCOUNTING = ("2.8", "3.0", "3.1", "3.2", "3.3", "3.4.0")  # what is converted for consumers (KAFKA-14295)
SINCE = {"hanging_transaction": (3, 0), "quorum_health": (3, 3)}  # before, brokers cannot be asked for it
WRONG_BUT_FOR = {"a_dead_fetcher": "isr_stagnation"}  # something is wrong there, and none of the known issues


@cache
def of_advisories() -> set[Told]:
    """Signatures and causes that confirm a known issue on a release that has it."""
    found = [one.signature for one in load_advisories().values() if one.signature]
    return {(one.id, cause) for one in found for cause in one.causes}


@pytest.fixture(scope="module")
def judged() -> dict[str, list[Row]]:
    return all_judged().signatures


def test_there_are_enough_of_them() -> None:
    assert len(every_day()) >= 40


@pytest.mark.parametrize("day", list(every_day()))
def test_nothing_of_a_healthy_day_is_told_for_sure(judged: dict[str, list[Row]], day: str) -> None:
    sure = {
        (row["signature"], one["cause"], row["cluster"])
        for row in judged[day]
        for one in row["detections"]
        if one["strength"] == "conclusive"
    }
    true, named = TRUE.get(day, set()), of_advisories()
    other = WRONG_BUT_FOR.get(day)
    false = {told for told in sure if told[:2] not in true and not (told[0] == other and told[:2] not in named)}
    assert false == set()


def test_every_signature_looked_at_every_day(judged: dict[str, list[Row]]) -> None:
    """A day without an answer would be quiet for nothing. Old releases cannot be asked for everything."""
    releases = {name: tuple(map(int, one.split(".")[:2])) for name, one in all_judged().releases.items()}
    for day, rows in judged.items():
        assert {row["signature"] for row in rows} == set(load_signatures(sql_dir())), day
        silent = {
            (row["signature"], row["cluster"])
            for row in rows
            if row["state"] == "not_evaluated" and releases[row["cluster"]] >= SINCE.get(row["signature"], (0, 0))
        }
        assert silent <= {("unclean_restart", name) for name in UNCOUNTED}, (day, rows)


def test_conditions_say_what_is_so() -> None:
    """And all have an answer somewhere, but those of what no day has: certificates, how disks fill, days before."""
    told, unread, answered = set(), set(), set()
    for day in all_judged().conditions.values():
        for cluster, answers in day.items():
            told |= {(cluster, name) for name, one in answers.items() if one.holds and name != SUPPORT}
            unread |= {name for name, one in answers.items() if one.holds is None}
            answered |= {name for name, one in answers.items() if one.holds is not None}
    assert told == SO
    never = {
        "certificate_expires", "log_dirs_uneven", "old_protocol", "replica_disk", "retention_behind", "unused_topics",
    }  # fmt: skip
    assert unread == {*never, "records_converted"}
    assert unread - answered == {"certificate_expires", "replica_disk", "unused_topics"}


def test_conversions_are_unknown_where_they_are_not_counted() -> None:
    unknown = {
        cluster
        for day in all_judged().conditions.values()
        for cluster, answers in day.items()
        if answers["records_converted"].holds is None
    }
    releases = all_judged().releases
    assert unknown == {name for name, release in releases.items() if release.startswith(UNCOUNTING)}


def test_what_is_there_is_seen(judged: dict[str, list[Row]]) -> None:
    """The rows are no idle ones: the broker that is down, the fetcher and the partition of one tenant are found."""
    for day in ("hot_tenant", "a_neighbour_stops", "a_dead_fetcher"):
        found = {(row["signature"], one["cause"]) for row in judged[day] for one in row["detections"]}
        assert TRUE[day] <= found, day
