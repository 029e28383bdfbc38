"""Plots of the day: reads every folder of `sql/plots/`, gives validated models with their queries.

A plot shows a day of every cluster, of quiet ones too, on the cluster's page. Adding one is adding a folder; nothing
registers it:

    plot.yaml     title, what is drawn, what is said when nothing was measured, values with their reasons
    query.sql     its points, flat: columns of POINTS
    missing.sql   what was not measured, flat: columns of MISSING
    cases.yaml    given rows -> points; run by the tests
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from kafka_fleet.base.catalogue_faults import fault
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.catalogue_folders import CatalogueError, check_files, load_entries, read_query, read_words
from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.knowledge.signatures import load_signatures

MOST_POINTS = 200  # of a series and day: a sweep every ten minutes has 144
# a panel is a picture with one axis; a series a line in it, the worst first; *_count: how many there are in all
# what a query does not give is null; *_object and *_detail are names in the templates of plot.yaml
POINTS = {
    "cluster": "STRING", "panel": "STRING", "panel_object": "STRING", "panel_place": "INT", "panel_count": "INT",
    "series": "STRING", "series_object": "STRING", "series_detail": "STRING", "place": "INT", "series_count": "BIGINT",
    "from_at": "TIMESTAMP", "to_at": "TIMESTAMP", "amount": "DOUBLE",
}  # fmt: skip
MISSING = {"cluster": "STRING", "missing": "STRING", "broker": "INT", "sweeps": "BIGINT", "of_sweeps": "BIGINT"}
MOST_NAMED = 10  # brokers that a sentence names; the rest is counted
WORDS = "plot.yaml"


class Value(BaseModel):
    """One number that the query is bound to, and why it is that."""

    model_config = ConfigDict(extra="forbid")
    value: float
    reason: str = Field(min_length=12)


class Limit(BaseModel):
    """A line across the picture: a threshold of a signature, as in force for the cluster, `signature.threshold`."""

    model_config = ConfigDict(extra="forbid")
    threshold: str = Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_]+$")
    label: str


class Panel(BaseModel):
    """A picture of a plot; its title is a template over a point."""

    model_config = ConfigDict(extra="forbid")
    title: str
    unit: str


class Plot(BaseModel):
    """One folder: words and values from plot.yaml, points from query.sql, what has none from missing.sql.

    series: templates of their names; missing: of sentences, over a row of missing.sql, with `brokers` of all its rows.
    """

    model_config = ConfigDict(extra="forbid")
    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    place: int
    title: str
    about: str
    silence: str = Field(pattern=r"\.$")
    panels: dict[str, Panel] = Field(min_length=1)
    series: dict[str, str] = Field(min_length=1)
    missing: dict[str, str] = Field(min_length=1)
    limit: Limit | None = None
    values: dict[str, Value] = Field(default_factory=dict)
    query: str = ""
    missing_query: str = ""

    def names(self, row: Mapping[str, Any]) -> tuple[str, str] | None:
        """Title of the panel and name of the series that a point belongs to; None where a part of them is null."""
        if row["panel"] is None or row["series"] is None:
            return None
        title, series = template(self.panels[row["panel"]].title).of(row), template(self.series[row["series"]]).of(row)
        return None if title is None or series is None else (title, series)

    def sentences(self, rows: Iterable[Mapping[str, Any]]) -> list[str]:
        """What was not measured, a sentence per reason."""
        by_reason: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            by_reason.setdefault(row["missing"], []).append(row)
        found = []
        for reason, own in by_reason.items():
            brokers = sorted(row["broker"] for row in own if row["broker"] is not None)
            more = f" and {len(brokers) - MOST_NAMED} more" if len(brokers) > MOST_NAMED else ""
            named = ", ".join(str(one) for one in brokers[:MOST_NAMED]) + more
            found.append(template(self.missing[reason]).made.render({**own[0], "brokers": named}))
        return sorted(found)

    @property
    def queries(self) -> str:
        """The texts of both."""
        return f"{self.query}\n{self.missing_query}"

    @property
    def bound(self) -> dict[str, float]:
        """The query's own parameters."""
        return {name: one.value for name, one in self.values.items()}


def _load(folder: Path) -> Plot:
    made = read_words(folder, WORDS, Plot)
    check_files(folder, ("query", "missing"))
    return made.model_copy(
        update={"query": read_query(folder, "query"), "missing_query": read_query(folder, "missing")}
    )


@cache
def load_plots(folder: Path | None = None) -> dict[str, Plot]:
    """Every plot by id, in the order of the page. `folder` holds `plots/` and `signatures/`; default: the project's."""
    root = (folder or sql_dir()) / "plots"
    found = load_entries(root, _load).values()
    signatures = load_signatures(folder or sql_dir())
    for plot in found:
        signature, _, name = plot.limit.threshold.partition(".") if plot.limit else ("", "", "")
        if plot.limit and (signature not in signatures or name not in signatures[signature].thresholds):
            text = f"no such threshold: {plot.limit.threshold}"
            raise CatalogueError(fault(root / plot.id / WORDS, ("limit", "threshold"), text))
    return {plot.id: plot for plot in sorted(found, key=lambda one: one.place)}
