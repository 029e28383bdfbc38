"""Facts to plots of the day: runs the queries of `sql/plots/`, gives what each cluster's page draws.

findings/ds=D/<generation>/plots/<cluster>.json   per plot its panels, per panel its series, per series its points
                                                  [from, to, value] in seconds of the day; what was not measured; and
                                                  the times without a sweep

All plots are one query: it is planned once, and of each series no more than MOST_POINTS leave Spark.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import reduce
from itertools import pairwise
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit

from fleet_spark.aside import Aside, Task
from fleet_spark.facts import fact_queries
from fleet_spark.failures import running
from fleet_spark.query_profiles import QueryProfiles, tables_read
from fleet_spark.signatures import Overrides, thresholds
from fleet_spark.sql_files import query_file, written_in
from fleet_spark.tables import Day
from kafka_fleet.documents.document import SCHEMA_VERSION
from kafka_fleet.documents.plots import ClusterPlot, PlotLimit, PlotPanel, Plots, PlotSeries, SweepTimes
from kafka_fleet.domain import GAP
from kafka_fleet.knowledge.plots import MISSING, MOST_POINTS, POINTS, Plot, load_plots
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.store.raw.manifests import Manifest

Json = dict[str, Any]
NOT_ASKED = "It was not asked for in this run."
_LONGEST_GAPS = 20
_MOST_NAME = 300  # characters of a name: Kafka's topics have at most 249


def drawable(plots: Mapping[str, Plot], every: Iterable[str], made: Iterable[str]) -> dict[str, Plot]:
    """The plots whose tables are all made, of every fact table that there is: a run by some signatures makes fewer."""
    absent = set(every) - set(made)
    return {name: one for name, one in plots.items() if not tables_read(one.queries) & absent}


Drawn = Mapping[str, Mapping[str, list[Json]]]  # cluster -> plot -> rows of sql/plots/binned.sql


def plots_task(
    spark: SparkSession, plots: Mapping[str, Plot], binned: str, ds: str, profiles: QueryProfiles
) -> Task[Drawn]:
    """Gives what is drawn of each cluster. binned: the text of sql/plots/binned.sql. Clusters without a row are absent.

    profiles: of the job that made the facts' views.
    """
    queries = "\n".join([binned, *(plot.queries for plot in plots.values())])

    def points(_clusters: list[str]) -> Drawn:
        found: dict[str, dict[str, list[Json]]] = defaultdict(lambda: defaultdict(list))
        if not plots:
            return found
        with running("plots"), profiles.for_query(queries):
            frames = [_points(spark, plot, ds) for plot in plots.values()]
            reduce(DataFrame.unionByName, frames).createOrReplaceTempView("plot_points")
            rows = spark.sql(binned, args={"ds": ds, "most_points": MOST_POINTS}).toArrow().to_pylist()
        for row in rows:
            found[row["cluster"]][row["drawn"]["plot"]].append({**row["drawn"], "points": row["points"]})
        return found

    return Task(tables_read(queries), points)


def run_plots(
    spark: SparkSession, plots: Mapping[str, Plot], binned: str, ds: str, profiles: QueryProfiles | None = None
) -> Drawn:
    """Plots by themselves: what the query raises ends the run. profiles: None where all views are small."""
    return Aside(None, (), "plots").run(plots_task(spark, plots, binned, ds, profiles or QueryProfiles(spark)))


def _points(spark: SparkSession, plot: Plot, ds: str) -> DataFrame:
    def rows(name: str, query: str) -> DataFrame:
        with written_in(query_file("plots", plot.id, name)):
            return spark.sql(query, args={n: v for n, v in {**plot.bound, "ds": ds}.items() if f":{n}" in query})

    points, missing = _typed(rows("query", plot.query), POINTS), _typed(rows("missing", plot.missing_query), MISSING)
    return points.unionByName(missing, allowMissingColumns=True).withColumn("plot", lit(plot.id))


def _typed(frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:
    """These columns of it, null where it has none of the name."""
    there = set(frame.columns)
    return frame.selectExpr(
        *(f"TRY_CAST({name if name in there else 'NULL'} AS {kind}) AS {name}" for name, kind in columns.items())
    )


def document(
    ds: str,
    cluster: str,
    plots: Mapping[str, Plot],
    run: Mapping[str, Plot],
    rows: Mapping[str, Sequence[Json]],
    sweeps: Sequence[datetime],
    limits: Mapping[str, float],
    why: str | None = None,
) -> Plots:
    """One cluster's plots. run: those that were run, with their rows; sweeps: of the day; limits: by plot.

    why: of a cluster that the day is judged without.
    """
    made = []
    for name, plot in plots.items():
        own = rows.get(name, ())
        panels = _panels(plot, [row for row in own if row["missing"] is None])
        said = plot.sentences(row for row in own if row["missing"] is not None)
        nothing = [] if panels else [why or (plot.silence if name in run else NOT_ASKED)]
        limit = PlotLimit(value=limits[name], label=plot.limit.label) if plot.limit else None
        made.append(
            ClusterPlot(
                plot=name,
                title=plot.title,
                about=plot.about,
                limit=limit,
                panels=panels,
                panel_count=max([len(panels), *(row["panel_count"] or 0 for row in own)]),
                missing=[*nothing, *said],
            )
        )
    return Plots(schema_version=SCHEMA_VERSION, ds=ds, cluster=cluster, sweeps=_sweeps(ds, sweeps), plots=made)


def _panels(plot: Plot, rows: Sequence[Json]) -> list[PlotPanel]:
    panels: dict[tuple[int, str], tuple[Json, list[PlotSeries]]] = {}
    for row in rows:
        if (names := plot.names(row)) is not None:
            _first, series = panels.setdefault((row["panel_place"], names[0]), (row, []))
            points = [[int(start), int(end), value] for start, end, value in json.loads(row["points"])]
            series.append(PlotSeries(name=names[1][:_MOST_NAME], points=points))
    return [
        PlotPanel(
            title=title[:_MOST_NAME],
            unit=plot.panels[first["panel"]].unit,
            series_count=first["series_count"],
            series=series,
        )
        for (_place, title), (first, series) in panels.items()
    ]


def _sweeps(ds: str, sweeps: Sequence[datetime]) -> SweepTimes:
    """When the day was measured: seconds of the first and last sweep, the usual distance, the longest gaps."""
    midnight = datetime.fromisoformat(ds).replace(tzinfo=UTC)
    at = sorted(int((one - midnight).total_seconds()) for one in sweeps)
    steps = list(pairwise(at))
    usual = round(median(b - a for a, b in steps)) if steps else None
    gaps = [(a, b) for a, b in steps if usual is not None and b - a > GAP * usual]
    longest = sorted(sorted(gaps, key=lambda gap: gap[0] - gap[1])[:_LONGEST_GAPS])
    return SweepTimes(
        count=len(at),
        first=at[0] if at else None,
        last=at[-1] if at else None,
        usual=usual,
        gaps=[list(gap) for gap in longest],
        gap_count=len(gaps),
    )


def limits_of(plots: Mapping[str, Plot], signatures: Mapping[str, Signature], overrides: Overrides) -> dict[str, float]:
    """The limit of each plot that has one, as in force for a cluster."""
    found = {}
    for name, plot in plots.items():
        if plot.limit:
            signature, _, threshold = plot.limit.threshold.partition(".")
            found[name] = thresholds(signatures[signature], overrides)[threshold]
    return found


def plots_of(day: Day, tables: Collection[str] | None) -> dict[str, Plot]:
    """The plots whose tables are made. tables: the facts that were made; None: all."""
    return drawable(load_plots(day.sql), fact_queries(day.sql), fact_queries(day.sql, tables))


def day_plots(day: Day, plots: Mapping[str, Plot]) -> Task[Drawn]:
    """The plots of a day, as a task."""
    binned = (day.sql / "plots/binned.sql").read_text(encoding="utf-8")
    return plots_task(day.spark, plots, binned, day.ds, day.profiles)


def write_plots(
    day: Day,
    run: Mapping[str, Plot],
    drawn: Drawn,
    sweeps: Sequence[Manifest],
    overrides: Mapping[str, Overrides],
    aside: Mapping[str, str],
) -> None:
    """Write the plots of the clusters in `overrides`. run: the plots that were run; aside: why a cluster has none."""
    plots, signatures = load_plots(day.sql), load_signatures(day.sql)
    at: dict[str, list[datetime]] = defaultdict(list)
    for sweep in sweeps:
        at[sweep.cluster].append(sweep.sweep_at)
    for cluster, own in overrides.items():
        limits, why = limits_of(plots, signatures, own), aside.get(cluster)
        rows = drawn.get(cluster, {}) if why is None else {}
        made = document(day.ds, cluster, plots, run, rows, at[cluster], limits, why)
        text = json.dumps(made.plain(), sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"
        day.put(day.stored.plots(cluster), text.encode())
