"""Signature catalogue: reads every `sql/signatures/<id>/signature.yaml`, gives validated models with their query.

A signature is a measurable symptom, independent of any version. Adding one is adding a folder; nothing registers it.
"""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kafka_fleet.paths import sql_dir


class CatalogueError(ValueError):
    """A signature folder is not valid; the text names file and field of every fault."""


class Threshold(BaseModel):
    """One number the query compares with, its unit, allowed range and reason. Bound as `:name` in query.sql."""

    model_config = ConfigDict(extra="forbid")
    value: float
    unit: str
    minimum: float
    maximum: float
    reason: str

    @model_validator(mode="after")
    def _in_range(self) -> "Threshold":
        if not self.minimum <= self.value <= self.maximum:
            raise ValueError(f"value {self.value} is outside its own range {self.minimum} to {self.maximum}")
        return self


class LookAlike(BaseModel):
    """A healthy or different state that shows a similar picture, and what separates it."""

    model_config = ConfigDict(extra="forbid")
    name: str
    separated_by: str


class Signature(BaseModel):
    """One signature folder: words and thresholds from signature.yaml, the statistic from query.sql."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    symptom: str
    causes: dict[str, str]
    needs: dict[str, str]
    thresholds: dict[str, Threshold]
    look_alikes: list[LookAlike]
    remeasure: str
    query: str = ""
    charts_query: str = ""


def _load(folder: Path) -> Signature:
    file = folder / "signature.yaml"
    try:
        content: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
        signature = Signature.model_validate(content)
    except (yaml.YAMLError, OSError) as error:
        raise CatalogueError(f"{file}: cannot be read: {error}") from error
    except ValidationError as error:
        faults = [f"{file}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise CatalogueError("\n".join(faults)) from error
    if signature.id != folder.name:
        raise CatalogueError(f"{file}: id {signature.id!r} differs from its folder {folder.name!r}")
    signature.query = (folder / "query.sql").read_text(encoding="utf-8")
    charts = folder / "charts.sql"
    signature.charts_query = charts.read_text(encoding="utf-8") if charts.exists() else ""
    return signature


@cache
def load_signatures(folder: Path | None = None) -> dict[str, Signature]:
    """Every signature by id, sorted. `folder` is the one that holds `signatures/`; default: the project's sql/."""
    root = (folder or sql_dir()) / "signatures"
    if not root.is_dir():
        raise CatalogueError(f"{root} is no folder")
    return {child.name: _load(child) for child in sorted(root.iterdir()) if (child / "signature.yaml").exists()}
