"""Facts of clients computed a second time in plain Python: libraries with their share of a listener, group members."""

import math
from collections import Counter, defaultdict
from datetime import date, datetime
from typing import Any

import pytest

from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.spark_runs.analysed import Analysed, analysed

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
Row = dict[str, Any]
RAW = ("client_software", "broker_configs", "brokers", "broker_metrics", "topics", "group_members", "groups")


@pytest.fixture(scope="module")
def day() -> Analysed:
    return analysed()


@pytest.fixture(scope="module")
def raw(day: Analysed) -> dict[str, list[Row]]:
    """Rows of the day's own sweeps."""
    sweeps = manifests(day.home, date.fromisoformat(day.ds))[0]
    return {table: read_rows(day.home, sweeps, table) for table in RAW}


def settings(raw: dict[str, list[Row]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in raw["broker_configs"]:
        if row["value"] is not None:
            found[row["cluster"]][row["name"]] = max(row["value"], found[row["cluster"]].get(row["name"], ""))
    return found


def connected(raw: dict[str, list[Row]]) -> dict[tuple[str, datetime, str], dict[tuple[str, str], float]]:
    """Client connections per cluster, sweep and listener, by library and version, without those of brokers."""
    known = settings(raw)
    sizes: dict[tuple[str, datetime], int] = defaultdict(int)
    for row in raw["brokers"]:
        sizes[row["cluster"], row["sweep_at"]] += row["host"] is not None
    releases: dict[tuple[str, datetime], Counter[str]] = defaultdict(Counter)
    for row in raw["broker_metrics"]:
        releases[row["cluster"], row["sweep_at"]][row["release"]] += 1
    transactional = {row["cluster"] for row in raw["topics"] if row["topic"] == "__transaction_state"}
    seen: dict[tuple[str, datetime, str], dict[tuple[str, str], float]] = defaultdict(lambda: defaultdict(float))
    for row in raw["client_software"]:
        if (row["connections"] or 0) > 0:
            place = row["cluster"], row["sweep_at"], row["listener"]
            seen[place][row["software"], row["software_version"]] += row["connections"]
    for (cluster, at, listener), libraries in list(seen.items()):
        own = known[cluster]
        if listener in own.get("controller.listener.names", "").split(","):
            del seen[cluster, at, listener]
        elif listener == (own.get("inter.broker.listener.name") or own.get("security.inter.broker.protocol")):
            count = sizes[cluster, at]
            held = int(own.get("num.replica.fetchers", 1)) * count * (count - 1)
            for key in [key for key in libraries if key[0] == "unknown"]:
                libraries[key] -= held
            for key in [key for key in libraries if key[0] == "apache-kafka-java"]:
                same, numbers = releases[cluster, at][key[1]], tuple(map(int, key[1].split(".")))
                if own.get("zookeeper.connect") and numbers >= (2, 8):
                    libraries[key] -= same
                if cluster in transactional and numbers >= (3, 7, 1):
                    libraries[key] -= same * count
    return {place: {k: n for k, n in libraries.items() if n > 0} for place, libraries in seen.items()}


def test_libraries_and_their_share_equal_a_second_computation(day: Analysed, raw: dict[str, list[Row]]) -> None:
    expected: dict[tuple[str, ...], list[tuple[datetime, float, float]]] = defaultdict(list)
    for (cluster, at, listener), libraries in connected(raw).items():
        for (software, version), count in libraries.items():
            share = math.ceil(10000 * count / sum(libraries.values())) / 10000
            expected[cluster, software, version, listener].append((at, count, share))
    stored = {
        (row["cluster"], row["software"], row["software_version"], row["listener"]): row
        for row in day.facts("client_days")
    }
    assert set(stored) == set(expected)
    assert len(stored) > 20
    for key, seen in expected.items():
        row = stored[key]
        assert row["connections"] == max(count for _at, count, _share in seen)
        assert row["share_at_most"] == pytest.approx(max(share for _at, _count, share in seen), abs=1e-12)
        assert 0 < row["share_at_most"] <= 1
        assert (row["first_seen"], row["last_seen"]) == (min(seen)[0], max(seen)[0])


def test_members_equal_a_second_computation(day: Analysed, raw: dict[str, list[Row]]) -> None:
    expected = {(row["cluster"], row["group_id"], row["client_id"], row["client_host"]) for row in raw["group_members"]}
    stored = [row for row in day.facts("group_days") if row["client_id"] is not None]
    assert len(stored) > 50
    found = [(row["cluster"], row["group_id"], row["client_id"], row["client_host"]) for row in stored]
    assert sorted(found) == sorted(expected)
    assert {row["framework"] for row in stored} == {None}  # neither Streams nor Connect was recorded
    listed = Counter((row["cluster"], row["group_id"]) for row in raw["groups"])
    assert {(row["cluster"], row["group_id"]): row["sweep_count"] for row in day.facts("group_days")} == listed


def test_client_findings_of_a_recorded_cluster_name_its_fleets(day: Analysed) -> None:
    finding = day.finding("redirect312", "KAFKA-10888")
    assert (finding["exposure"], finding["release"], finding["upgrade_to"]) == ("exposed", "3.1.2", "3.9.2")
    assert finding["subjects"] == ["client apache-kafka-java 3.1.2 on listener PLAINTEXT"]
    assert day.finding("follower332", "KAFKA-10888")["release"] == "3.3.2"
    broker = day.finding("redirect312", "KAFKA-13767")
    assert broker["release"] == "3.1.2"
    assert not [subject for subject in broker["subjects"] if subject.startswith("client ")]


def test_the_dossier_holds_every_candidate(day: Analysed) -> None:
    plan = day.dossier("follower331")["plan"]
    rows = {row["release"]: row for row in plan["candidates"]["server"]}
    assert plan["now"]["release"] == "3.9.2"
    assert "KAFKA-14334" in rows["3.3.2"]["closes"]
    assert {"release", "supported", "closes", "leaves", "opens"} == set(rows["4.4.0"])
