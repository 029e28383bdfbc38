"""What agents, brokers and clients may send within every limit of an answer, swept from real sockets: none of it is
stored as it came, each is named in the sweep's own rows, and in the letter of its cluster."""

import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.report.render import write_letter
from kafka_fleet.schema import mbeans
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.homes.recorded import Sweep, changed, land_all, recorded_day
from support.servers import jolokia_simulator, wire_broker
from support.spark_runs.analysed import analyse

pytestmark = [pytest.mark.timeout(1800), pytest.mark.fault(61)]
TOPICS = {"orders": 2, "payments": 1}
BIG = 2**63 - 1
NANOSECONDS = 1_795_477_272_000_000_000
COMMITS = {("orders", 0): BIG, ("orders", 1): BIG, ("payments", 0): BIG}
SAID = "beyond the bounds of their columns and not stored: "
SWEEPS = 3


class Poison(NamedTuple):
    """What a cluster sends, and what its sweep then says of it. commits: a client of its does; else the agent."""

    values: dict[str, Any]
    said: str
    stamp: float | None = None
    commits: bool = False


POISONS = {
    "none": Poison({}, ""),
    "timestamp": Poison({}, "brokers.agent_clock_skew_s (1 value)", stamp=9 * 10**18),
    "timestamp-ns": Poison({}, "brokers.agent_clock_skew_s (1 value)", stamp=NANOSECONDS),
    "start": Poison({"jvm_start_ms": BIG}, "broker_metrics.jvm_start_ms (1 value)"),
    "start-us": Poison({"jvm_start_ms": 10**15}, "broker_metrics.jvm_start_ms (1 value)"),
    "logend": Poison(
        {"log_end_offset": BIG, "log_start_offset": -BIG},
        "partitions.log_end_offset (3 values), partitions.log_start_offset (3 values)",
    ),
    "counter": Poison(
        {"messages_in": -(2**63)}, "broker_metrics.messages_in (1 value), broker_topics.messages_in (1 value)"
    ),
    "fat": Poison({"release": "x" * 2_000_000}, "broker_metrics.release (1 value)"),
    "commit": Poison({}, "group_offsets.committed_offset (3 values)", commits=True),
}  # fmt: skip


class Hostile(jolokia_simulator.Agent):
    """An agent that answers with these values for these columns."""

    def __init__(self, poison: Poison) -> None:
        super().__init__(dict(TOPICS))
        self.poison = poison

    def healthy(self, bean: mbeans.Bean) -> dict[str, Any]:
        found = super().healthy(bean)
        holders = found["value"].values() if "*" in bean.mbean else [found["value"]]
        for column in (one for one in bean.columns if one.name in self.poison.values):
            for holder in holders:
                holder[column.attribute] = self.poison.values[column.name]
        if self.poison.stamp is not None:
            found["timestamp"] = self.poison.stamp
        return found


class Swept(NamedTuple):
    """A home with sweeps of a cluster of each poison, and of a healthy one that was recorded."""

    home: Path
    ds: str

    def rows(self, cluster: str, table: str) -> list[dict[str, Any]]:
        return read_rows(self.home, [one for one in manifests(self.home, self.ds)[0] if one.cluster == cluster], table)


def collect(home: Path, name: str, poison: Poison) -> None:
    """Sweep one cluster. A client that committed the largest offset commits 0 before the last sweep."""
    group = wire_broker.Group(members={"m": wire_broker.assignment(orders=[0, 1], payments=[0])})
    groups = {"any-client": group._replace(commits=COMMITS if poison.commits else dict.fromkeys(COMMITS, 5))}
    with wire_broker.running(groups) as (server, _broker), jolokia_simulator.agent(Hostile(poison)) as agent:
        entry = {
            "id": name,
            "environment": "development",
            "owners": ["a@example.org"],
            "bootstrap_servers": [server],
            "jolokia": {"brokers": {7: agent.url}},
        }
        (cluster,) = parse_fleet({"version": 1, "clusters": [entry]}, "fleet.yaml").clusters
        for number in range(SWEEPS):
            if number == SWEEPS - 1 and poison.commits:
                groups["any-client"] = group._replace(commits=dict.fromkeys(COMMITS, 0))
            sweep_cluster(cluster, home, local_credentials({}))
            time.sleep(0.01)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    home, ds = tmp_path_factory.mktemp("hostile"), datetime.now(UTC).date()

    def today(sweeps: list[Sweep]) -> None:
        for one in sweeps:
            one.move(ds - date.fromisoformat(recorded_day()))

    land_all(home, changed("follower331", "healthy-one", today))
    for name, poison in POISONS.items():
        collect(home, name, poison)
    return Swept(home, ds.isoformat())


@pytest.mark.parametrize("name", POISONS)
def test_what_is_beyond_its_bounds_is_null_and_said(swept: Swept, name: str) -> None:
    poison = POISONS[name]
    brokers, sweeps = swept.rows(name, "brokers"), swept.rows(name, "sweeps")
    assert (len(brokers), len(sweeps)) == (SWEEPS, SWEEPS)
    said = [row["detail"] for row in brokers], [row["admin_detail"] for row in sweeps]
    kept = [value for value in said[0 if not poison.commits else 1] if value is not None]
    other = said[1 if not poison.commits else 0]
    if not poison.said:
        assert (kept, set(other)) == ([], {None})
        return
    assert kept == [SAID + poison.said] * (SWEEPS - 1 if poison.commits else SWEEPS)
    assert set(other) == {None}
    for table in mbeans.tables():
        for row in swept.rows(name, table):
            for column in poison.values.keys() & row.keys():
                assert row[column] is None, (table, column)
    if poison.stamp is not None:
        assert {row["agent_clock_skew_s"] for row in brokers} == {None}
    if poison.commits:
        offsets = [row["committed_offset"] for row in swept.rows(name, "group_offsets")]
        assert offsets == [None] * 3 * (SWEEPS - 1) + [0] * 3
        assert {tuple(row["admin_missing"]) for row in sweeps} == {()}  # other groups' offsets were read


def test_what_is_hostile_takes_little_room(swept: Swept) -> None:
    whole, damaged = manifests(swept.home, swept.ds)
    assert damaged == []
    sizes = {name: sum(f.bytes for one in whole if one.cluster == name for f in one.files.values()) for name in POISONS}
    assert max(sizes.values()) < 1.2 * sizes["none"]


@pytest.mark.sampled("hostile-days")
def test_the_day_is_judged_and_letters_say_what_was_not_stored(swept: Swept) -> None:
    """In one run of Spark: signatures that read starts, offsets and log ends."""
    day = analyse(swept.home, swept.ds, signatures=["fetch_latency", "offset_rewind"])
    for name, poison in POISONS.items():
        assert day.findings(name)
        html, text = write_letter(swept.home, swept.ds, day.generation, name)
        words = " ".join(text.read_text(encoding="utf-8").split())
        assert (SAID in words) == bool(poison.said), name
        assert poison.said.partition(",")[0] in words
        assert SAID in " ".join(html.read_text(encoding="utf-8").split()) or not poison.said
    assert day.findings("healthy-one")
    rewound = [one for one in day.findings("commit") if one["signature"] == "offset_rewind"]
    assert {one["signature_state"] for one in rewound} <= {"quiet", "not_evaluated"}
