"""Plots of the day on given rows: points, gaps in words, bounds; and what the recorded day's clusters are given."""

import itertools
import json
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
import yaml

from fleet_spark.plots import NOT_ASKED, drawable, run_plots
from fleet_spark.plots import document as judged_document
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.catalogue_folders import CatalogueError
from kafka_fleet.knowledge.plots import MISSING, MOST_POINTS, POINTS, load_plots
from support.builders.cases import DAY, Case, rows_of
from support.builders.day_samples import plots_document
from support.spark_runs.analysed import analysed, spark
from support.spark_runs.fact_schemas import fact_schemas
from support.spark_runs.given_rows import give_all

pytestmark = pytest.mark.timeout(1800)
DS = "2026-11-20"
PLOTS = load_plots()
BINNED = (sql_dir() / "plots/binned.sql").read_text(encoding="utf-8")
PARTITIONS = 200_000  # of the bounded case
Json = dict[str, Any]


def made_of(*what: Any) -> Json:
    """The document as it is stored."""
    return judged_document(*what).plain()


def cases() -> list[Case]:
    """The cases of every plot; each is a cluster."""
    found = []
    for name in PLOTS:
        for one in yaml.load((sql_dir() / f"plots/{name}/cases.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader):
            expect = {"missing": [], **one["expect"]}
            given, brokers = one.get("given", {}), one.get("brokers", 0)
            found.append(Case(name, f"{name}--{one['name']}", one["about"], "healthy", expect, given, brokers))
    return found


ALL = cases()


@cache
def rows() -> dict[str, dict[str, list[Json]]]:
    """Cluster -> plot -> rows: all cases of all plots in one run."""
    given: dict[str, list[Json]] = defaultdict(list)
    for case in ALL:
        for table, found in rows_of(case, fact_schemas()).items():
            given[table] += found
    give_all(spark(), fact_schemas(), given)
    return run_plots(spark(), PLOTS, BINNED, DS)


def of(plot: str, cluster: str) -> Json:
    made = made_of(DS, cluster, PLOTS, PLOTS, rows().get(cluster, {}), [DAY], {"fetch_times": 500.0})
    return next(one for one in made["plots"] if one["plot"] == plot)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_case(case):
    found = of(case.signature, case.cluster)
    panels = [
        {"title": one["title"], "unit": one["unit"], "of": one["series_count"],
         "series": {series["name"]: series["points"] for series in one["series"]}}
        for one in found["panels"]
    ]  # fmt: skip
    assert panels == case.expect["panels"]
    assert [list(one["series"]) for one in panels] == [list(one["series"]) for one in case.expect["panels"]], "order"
    assert found["missing"] == case.expect["missing"]


@pytest.mark.parametrize("plot", PLOTS)
def test_every_plot_has_a_case_with_points_and_one_with_nothing(plot):
    own = [case.expect for case in ALL if case.signature == plot]
    assert {bool(one["panels"]) for one in own} == {True, False}
    assert all(one["missing"] for one in own if not one["panels"]), "silence is never health"


@pytest.mark.fault(38)
def test_two_hundred_thousand_partitions_and_sweeps_each_five_seconds_are_bounded():
    """One topic with 200,000 partitions, one with 3,000 sweeps; so much leaves Spark and no more."""
    about = Case("record_rates", "large", "", "healthy", {}, {"cluster_days": [{"last_sweep": "14:10:00"}]}, 1)
    give_all(spark(), fact_schemas(), rows_of(about, fact_schemas()))
    wide = spark().sql(
        f"SELECT 'large' AS cluster, 1 AS broker, 'wide' AS topic, cast(id AS INT) AS partition, "  # noqa: S608
        f"TIMESTAMP'2026-11-20 10:00:00' AS from_at, TIMESTAMP'2026-11-20 10:10:00' AS to_at, 600D AS seconds, "
        f"if(id = 0, 1000000000, id) AS records, FALSE AS went_back FROM range({PARTITIONS})"
    )
    deep = spark().sql(
        "SELECT 'large' AS cluster, 1 AS broker, 'deep' AS topic, p AS partition, "
        "TIMESTAMP'2026-11-20 10:00:00' + make_interval(0, 0, 0, 0, 0, 0, 5 * id) AS from_at, "
        "TIMESTAMP'2026-11-20 10:00:05' + make_interval(0, 0, 0, 0, 0, 0, 5 * id) AS to_at, 5D AS seconds, "
        "if(p = 1, 20000000 + 5 * id, 5) AS records, FALSE AS went_back FROM range(3000) "
        "LATERAL VIEW explode(array(0, 1)) AS p"
    )
    wide.unionByName(deep).createOrReplaceTempView("partition_rates")
    found = run_plots(spark(), {"record_rates": PLOTS["record_rates"]}, BINNED, DS)["large"]["record_rates"]
    panels: dict[str, list[list[list[float]]]] = defaultdict(list)
    for row in found:
        panels[PLOTS["record_rates"].names(row)[0]].append(json.loads(row["points"]))
    assert {title: len(series) for title, series in panels.items()} == {
        "topic deep, the busiest": 2,
        "topic wide, the most uneven": 8,
    }
    assert {row["series_count"] for row in found} == {2, PARTITIONS}
    hot = panels["topic deep, the busiest"][0]
    assert len(hot) == MOST_POINTS
    assert hot[0][0] == 36_000
    assert hot[-1][1] == 36_000 + 15_000
    assert all(a[1] == b[0] for a, b in itertools.pairwise(hot)), "no time is lost between two steps"
    assert hot[-1][2] == 4_000_000 + 2_999, "the highest of its step"


def test_the_times_without_a_sweep_are_kept_and_bounded():
    at = [DAY + timedelta(minutes=10 * n) for n in range(144) if not 60 < n < 79 and n != 100]
    sweeps = made_of(DS, "a", {}, {}, {}, at, {})["sweeps"]
    assert sweeps == {
        "count": 125,
        "first": 0,
        "last": 85_800,
        "usual": 600,
        "gaps": [[36_000, 47_400]],
        "gap_count": 1,
    }
    many = [DAY + timedelta(seconds=n * 10 + (n // 3) * 100) for n in range(300)]
    sweeps = made_of(DS, "a", {}, {}, {}, many, {})["sweeps"]
    assert (len(sweeps["gaps"]), sweeps["gap_count"]) == (20, 99)
    assert made_of(DS, "a", {}, {}, {}, [], {})["sweeps"]["usual"] is None


def test_a_run_by_some_signatures_draws_what_it_can_and_says_so_of_the_rest():
    every = ["partition_rates", "broker_days", "consumer_fetch_times", "listener_connections"]
    run = drawable(PLOTS, every, ["partition_rates", "broker_days"])
    assert set(run) == {"record_rates", "in_sync_sets"}
    found = {one["plot"]: one["missing"] for one in made_of(DS, "a", PLOTS, run, {}, [], {"fetch_times": 1})["plots"]}
    assert found["connections"] == found["fetch_times"] == [NOT_ASKED]
    assert found["record_rates"] == [PLOTS["record_rates"].silence]


@cache
def stored(cluster: str) -> Json:
    found: Json = json.loads(analysed().outputs()[f"plots/{cluster}.json"])
    return found


def test_a_recorded_cluster_has_its_day_and_the_sample_looks_like_it():
    real, sample = stored("follower331"), plots_document("a", DS)
    assert set(real) == set(sample)
    assert set(real["sweeps"]) == set(sample["sweeps"])
    assert [one["plot"] for one in real["plots"]] == [one["plot"] for one in sample["plots"]] == list(PLOTS)
    for one, other in zip(real["plots"], sample["plots"], strict=True):
        assert set(one) == set(other)
        assert one["panels"], one["missing"]
        assert set(one["panels"][0]) == set(other["panels"][0])
    fetches = real["plots"][1]
    assert fetches["limit"] == {"label": "fetch.max.wait.ms", "value": 500.0}
    worst = {series["name"]: series["points"] for series in fetches["panels"][0]["series"]}
    assert fetches["panels"][0]["title"] == "broker 2"
    assert min(value for _a, _b, value in worst["p75 wait"]) > 495, "it waits the cap out"


def test_a_threshold_of_the_cluster_moves_its_cap_and_a_cluster_never_reached_has_its_words():
    caps = {name: json.loads(content)["plots"][1]["limit"]["value"]
            for name, content in analysed().outputs().items() if name.startswith("plots/")}  # fmt: skip
    assert caps["plots/follower331.json"] == 500
    assert set(caps) >= {f"plots/{name}.json" for name in ("follower331", "idle331", "slow331")}
    for name in caps:
        for one in json.loads(analysed().outputs()[name])["plots"]:
            assert one["panels"] or one["missing"], (name, one["plot"])


def test_times_are_of_the_day():
    midnight = datetime.fromisoformat(analysed().ds).replace(tzinfo=UTC)
    sweeps = stored("follower331")["sweeps"]
    (about,) = analysed().facts("cluster_days", cluster="follower331")
    wanted = [int((about[name] - midnight).total_seconds()) for name in ("first_sweep", "last_sweep")]
    assert [sweeps["first"], sweeps["last"]] == wanted
    assert sweeps["count"] == about["sweep_count"]
    for plot in stored("follower331")["plots"]:
        for panel in plot["panels"]:
            for series in panel["series"]:
                assert all(wanted[0] <= b <= wanted[1] + sweeps["usual"] for _a, b, _value in series["points"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "other"}, "differs from its folder"),
        ({"silence": "no full stop"}, "silence"),
        ({"limit": {"threshold": "fetch_latency.nothing", "label": "x"}}, "no such threshold: fetch_latency.nothing"),
        ({"values": {"most": {"value": 1}}}, "reason"),
    ],
)
def test_a_faulty_folder_is_named(tmp_path, changes, words):
    (tmp_path / "signatures").symlink_to(sql_dir() / "signatures")
    folder = tmp_path / "plots/fetch_times"
    folder.mkdir(parents=True)
    content = yaml.safe_load((sql_dir() / "plots/fetch_times/plot.yaml").read_text(encoding="utf-8"))
    (folder / "plot.yaml").write_text(yaml.safe_dump(content | changes))
    for query in ("query", "missing"):
        (folder / f"{query}.sql").symlink_to(sql_dir() / f"plots/fetch_times/{query}.sql")
    with pytest.raises(CatalogueError, match=rf"plot.yaml, line \d+: .*{words}"):
        load_plots(tmp_path)


def test_every_query_gives_the_columns_that_are_asked_for():
    give_all(spark(), fact_schemas(), {})
    for plot in PLOTS.values():
        needed = set(POINTS) - {"panel_object", "panel_count", "series_object", "series_detail"}
        for query, asked, known in (
            (plot.query, needed, set(POINTS)),
            (plot.missing_query, {"cluster", "missing"}, set(MISSING)),
        ):
            values = {name: value for name, value in {**plot.bound, "ds": DS}.items() if f":{name}" in query}
            given = spark().sql(query, args=values).columns
            assert asked <= set(given) <= known, plot.id
            assert len(given) == len(set(given))
