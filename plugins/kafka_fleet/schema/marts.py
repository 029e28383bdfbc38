"""Marts as they are documented: reads `<table>.yaml` beside each query of `sql/marts`, gives grain and columns.

    about     what a row is, one sentence
    grain     the columns by which rows differ: no two have the same
    columns   in the query's order: `unit` of a number, `null`: when a value is null (absent: never), `about`: what
              the name does not say

The documentation shows them (docs/reference/marts/), and tests hold the stored rows to them.
"""

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kafka_fleet.base.catalogue_faults import fault, model_faults
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.yaml import FleetFileError, load_yaml


class MartError(ValueError):
    """The description of a mart is not valid; the text names the file and each fault."""


class Column(BaseModel):
    """A column of a mart."""

    model_config = ConfigDict(extra="forbid")
    unit: str | None = None
    null: str | None = None
    about: str | None = None


class Mart(BaseModel):
    """A stored table that checks read."""

    model_config = ConfigDict(extra="forbid")
    about: str = Field(min_length=12)
    grain: list[str] = Field(min_length=1)
    columns: dict[str, Column] = Field(min_length=1)


def _load(path: Path) -> Mart:
    content = None
    try:
        content = load_yaml(path)
        found = Mart.model_validate(content)
    except FleetFileError as error:
        raise MartError(str(error)) from error
    except ValidationError as error:
        raise MartError("\n".join(model_faults(path, content, Mart, error))) from error
    if unknown := [name for name in found.grain if name not in found.columns]:
        raise MartError(fault(path, ("grain",), f"no such column: {', '.join(unknown)}"))
    return found


@cache
def load_marts(folder: Path | None = None) -> dict[str, Mart]:
    """Every described mart by its table's name, sorted. Raises MartError."""
    root = (folder or sql_dir()) / "marts"
    return {path.stem: _load(path) for path in sorted(root.glob("*.yaml"))}
