"""Facts of topics that nobody uses by given rows: log ends and commits of earlier days beside the last sweep."""

from functools import cache

from support.spark_runs.facts_of_rows import Row, at, facts, of_all

LAST = 23.8


def log(hours: float, topic: str, end: int, partition: int = 0, leads: bool = True, start: int = 0) -> Row:
    """One replica at one sweep; a record has 100 bytes."""
    return {"sweep_at": at(hours), "read_at": at(hours), "broker": 1 if leads else 2, "topic": topic,
            "partition": partition, "log_end_offset": end, "log_start_offset": start, "size_bytes": 100 * (end - start),
            "replicas_count": 2 if leads else 0}  # fmt: skip


def commit(hours: float, group: str, topic: str, offset: int) -> Row:
    """One committed offset of partition 0."""
    return {"sweep_at": at(hours), "read_at": at(hours), "group_id": group, "topic": topic, "partition": 0,
            "committed_offset": offset}  # fmt: skip


def sweeps(*hours: float) -> list[Row]:
    """Sweeps that read everything."""
    return [{"sweep_at": at(hour), "ended_at": at(hour), "admin_outcome": "ok", "admin_missing": []} for hour in hours]


EARLIER = [-24 * days + LAST for days in (14, 9, 2)]
TIMES = (1, LAST)
MEMBER = {"sweep_at": at(1), "last_sweep_at": at(LAST), "group_id": "loader", "member_id": "a", "topic": "archive",
          "partition": 0}  # fmt: skip


def logs(hour: float) -> list[Row]:
    """What brokers showed at a sweep: "orders" grows, "weekly" was written after the first of the earlier ones."""
    found = [
        log(hour, "archive", 500), log(hour, "archive", 500, leads=False), log(hour, "grown", 50),
        log(hour, "weekly", 600 if hour == EARLIER[0] else 700), log(hour, "orders", 900 + round(hour)),
        log(hour, "half", 5, leads=hour not in TIMES),
    ]  # fmt: skip
    return found if hour < EARLIER[2] else [*found, log(hour, "grown", 10, partition=1)]


def commits(hour: float) -> list[Row]:
    """What groups had committed at a sweep: "replay" went on between the last two of the earlier ones."""
    replayed = 2 if hour < EARLIER[2] else 3
    return [commit(hour, "loader", "archive", 500), commit(hour, "replay", "weekly", replayed),
            commit(hour, "billing", "orders", 900 + round(hour))]  # fmt: skip


DAY = {
    "sweeps": sweeps(*TIMES),
    "declarations": [{"sweep_at": at(1), "last_sweep_at": at(LAST), "declaration": "{}"}],
    "partitions": [one for hour in TIMES for one in logs(hour)],
    "group_offsets": [one for hour in TIMES for one in commits(hour)],
}
BEFORE = {
    "earlier_partitions": [one for hour in EARLIER for one in logs(hour)],
    "earlier_group_offsets": [one for hour in EARLIER for one in commits(hour)],
}
CLUSTERS = of_all({"looked": DAY | BEFORE, "first": DAY, "assigned": DAY | BEFORE | {"group_assignments": [MEMBER]}})


@cache
def every_topic() -> dict[tuple[str, str], Row]:
    """Facts of all clusters by cluster and topic, in one run."""
    return {(one["cluster"], one["topic"]): one for one in facts("topic_use", CLUSTERS)}


def topics() -> dict[str, Row]:
    """Of the cluster that has earlier days."""
    return {topic: one for (cluster, topic), one in every_topic().items() if cluster == "looked"}


def test_without_earlier_days_nothing_is_said() -> None:
    assert {cluster for cluster, _topic in every_topic()} == {"looked", "assigned"}


def test_a_topic_is_unwritten_since_the_first_sweep_at_which_every_log_ended_as_now() -> None:
    since = {name: one["unwritten_since"] for name, one in topics().items()}
    assert since["archive"].timestamp() == at(EARLIER[0]).timestamp()
    assert since["weekly"].timestamp() == at(EARLIER[1]).timestamp()
    assert since["grown"].timestamp() == at(EARLIER[2]).timestamp(), "a partition was added"
    assert since["orders"] is None
    assert {one["looked_days"] for one in topics().values()} == {3}
    assert {one["looked_since"].timestamp() for one in topics().values()} == {at(EARLIER[0]).timestamp()}


def test_its_size_is_of_all_replicas_and_its_records_are_of_leaders() -> None:
    one = topics()["archive"]
    assert (one["partition_count"], one["records"], one["bytes"]) == (1, 500, 100_000)


def test_a_topic_whose_leader_was_not_read_is_left_out() -> None:
    assert "half" not in topics()


def test_a_group_that_moved_an_offset_reads() -> None:
    archive, weekly, orders, grown = (topics()[name] for name in ("archive", "weekly", "orders", "grown"))
    assert (archive["group_count"], archive["unread_since"].timestamp()) == (1, at(EARLIER[0]).timestamp())
    assert weekly["unread_since"].timestamp() == at(EARLIER[2]).timestamp()
    assert (orders["group_count"], orders["unread_since"]) == (1, None)
    assert (grown["group_count"], grown["unread_since"]) == (0, None)
    assert not any(one["is_read"] for one in topics().values())


def test_what_is_assigned_on_the_day_is_read() -> None:
    read = {topic for (cluster, topic), one in every_topic().items() if cluster == "assigned" and one["is_read"]}
    assert read == {"archive"}
