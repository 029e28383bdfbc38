"""Plots of the day: reads every folder of `sql/plots/`, gives validated models with their queries.

A plot shows a day of every cluster, of quiet ones too, on the cluster's page. Adding one is adding a folder; nothing
registers it:

    plot.yaml     title, what is drawn, what is said when nothing was measured, values with their reasons
    query.sql     its points: columns COLUMNS
    missing.sql   sentences on what was not measured: cluster, missing
    cases.yaml    given rows -> points; run by the tests
"""

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.catalogue_folders import CatalogueError, entry_folders, read_query, read_words
from kafka_fleet.knowledge.signatures import load_signatures

MOST_POINTS = 200  # of a series and day: a sweep every ten minutes has 144
# a panel is a picture with one axis; a series a line in it, the worst first; *_count: how many there are in all
COLUMNS = ("cluster", "panel", "unit", "panel_place", "panel_count", "series", "place", "series_count", "from_at",
           "to_at", "amount")  # fmt: skip
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


class Plot(BaseModel):
    """One folder: words and values from plot.yaml, points from query.sql, what has none from missing.sql."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    place: int
    title: str
    about: str
    silence: str = Field(pattern=r"\.$")
    limit: Limit | None = None
    values: dict[str, Value] = Field(default_factory=dict)
    query: str = ""
    missing_query: str = ""

    @property
    def queries(self) -> str:
        """The texts of both."""
        return f"{self.query}\n{self.missing_query}"

    @property
    def bound(self) -> dict[str, float]:
        """The query's own parameters."""
        return {name: one.value for name, one in self.values.items()}


def _load(folder: Path) -> Plot:
    texts = {"query": read_query(folder, "query"), "missing_query": read_query(folder, "missing")}
    return read_words(folder, WORDS, Plot).model_copy(update=texts)


@cache
def load_plots(folder: Path | None = None) -> dict[str, Plot]:
    """Every plot by id, in the order of the page. `folder` holds `plots/` and `signatures/`; default: the project's."""
    root = (folder or sql_dir()) / "plots"
    found = [_load(child) for child in entry_folders(root, WORDS)]
    signatures = load_signatures(folder or sql_dir())
    for plot in found:
        signature, _, name = plot.limit.threshold.partition(".") if plot.limit else ("", "", "")
        if plot.limit and (signature not in signatures or name not in signatures[signature].thresholds):
            raise CatalogueError(f"{root / plot.id / WORDS}: no such threshold: {plot.limit.threshold}")
    return {plot.id: plot for plot in sorted(found, key=lambda one: one.place)}
