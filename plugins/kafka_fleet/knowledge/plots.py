"""Plots of the day: reads every folder of `sql/plots/`, gives validated models with their queries.

A plot shows a day of every cluster, of quiet ones too, on the cluster's page. Adding one is adding a folder; nothing
registers it:

    plot.yaml     title, what is drawn, what is said when nothing was measured, values with their reasons
    query.sql     its points, and sentences on what was not measured: columns COLUMNS
    cases.yaml    given rows -> points; run by the tests
"""

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kafka_fleet.fleet_yaml import FleetFileError, load_yaml
from kafka_fleet.knowledge.signatures import CatalogueError, load_signatures
from kafka_fleet.mistakes import told
from kafka_fleet.paths import sql_dir
from kafka_fleet.store.generations import day

MOST_POINTS = 200  # of a series and day: a sweep every ten minutes has 144
# a panel is a picture with one axis; a series a line in it, the worst first; *_count: how many there are in all
COLUMNS = ("cluster", "panel", "unit", "panel_place", "panel_count", "series", "place", "series_count", "from_at",
           "to_at", "amount", "missing")  # fmt: skip


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
    """One folder: words and values from plot.yaml, points from query.sql."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    place: int
    title: str
    about: str
    silence: str = Field(pattern=r"\.$")
    limit: Limit | None = None
    values: dict[str, Value] = Field(default_factory=dict)
    query: str = ""

    @property
    def bound(self) -> dict[str, float]:
        """The query's own parameters."""
        return {name: one.value for name, one in self.values.items()}


def plots_path(home: Path, ds: str, generation: str, cluster: str) -> Path:
    """Where the judge keeps what a cluster's page draws."""
    return home / f"findings/ds={day(ds)}/{generation}/plots/{cluster}.json"


def _load(folder: Path) -> Plot:
    file = folder / "plot.yaml"
    try:
        plot = Plot.model_validate(load_yaml(file))
        query = (folder / "query.sql").read_text(encoding="utf-8")
    except FleetFileError as error:
        raise CatalogueError(str(error)) from error
    except OSError as error:
        raise CatalogueError(f"{folder / 'query.sql'}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise CatalogueError("\n".join(f"{file}: {one}" for one in told(error, "file"))) from error
    if plot.id != folder.name:
        raise CatalogueError(f"{file}: id {plot.id!r} differs from its folder {folder.name!r}")
    return plot.model_copy(update={"query": query})


@cache
def load_plots(folder: Path | None = None) -> dict[str, Plot]:
    """Every plot by id, in the order of the page. `folder` holds `plots/` and `signatures/`; default: the project's."""
    root = (folder or sql_dir()) / "plots"
    if not root.is_dir():
        raise CatalogueError(f"{root} is no folder")
    found = [_load(child) for child in sorted(root.iterdir()) if (child / "plot.yaml").exists()]
    signatures = load_signatures(folder or sql_dir())
    for plot in found:
        signature, _, name = plot.limit.threshold.partition(".") if plot.limit else ("", "", "")
        if plot.limit and (signature not in signatures or name not in signatures[signature].thresholds):
            raise CatalogueError(f"{root / plot.id}/plot.yaml: no such threshold: {plot.limit.threshold}")
    return {plot.id: plot for plot in sorted(found, key=lambda one: one.place)}
