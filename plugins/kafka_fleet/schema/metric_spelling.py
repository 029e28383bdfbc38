"""How exporters spell what is measured: what metric_names.yaml of a pack, and a --map file, may hold.

The tables and columns that they name are those of schema/mbeans.yaml, and `client_metrics` for what clients push.
"""

import re
from functools import lru_cache
from typing import Any

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.endpoint_tables import ENDPOINT_TABLES

LONGEST = 1000  # characters of a regular expression


def expression(text: str) -> re.Pattern[str]:
    """A regular expression of a file. Raises ValueError with what is wrong with it."""
    try:
        if len(text) > LONGEST:
            raise ValueError(f"is no regular expression: longer than {LONGEST} characters")
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:  # deep brackets, a repeat of very many
        raise ValueError(f"is no regular expression: {str(error) or 'nested too deeply'}") from error


@lru_cache(10_000)
def exporter_name(name: str) -> str:
    """A name as exporters spell it, in lower case."""
    return re.sub(r"[^a-z0-9_:]", "_", name.lower())


class Strict(BaseModel):
    """A part of a file in which an unknown key is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Pattern(Strict):
    """One pattern of names; metric_names.yaml says what its parts mean."""

    attribute: str
    name: str | None = None
    metric: list[str] = Field(min_length=1)
    labels: dict[str, str] = Field(default_factory=dict)
    total: bool = False

    @field_validator("attribute", "name")
    @classmethod
    def _expression(cls, value: str | None) -> str | None:
        expression(value or "")
        return value

    @field_validator("metric")
    @classmethod
    def _template(cls, value: list[str]) -> list[str]:
        for one in value:
            if not re.fullmatch(r"([a-zA-Z0-9_:]|\{(domain|type|name|attribute|1)\})+", one):
                raise ValueError("may hold {domain}, {type}, {name}, {attribute}, {1} and what a metric name may have")
        return value


class Exact(Strict):
    """One column of a metric that follows no pattern."""

    column: str
    factor: float = Field(default=1, gt=0, allow_inf_nan=False)
    label: str | None = None
    labels: dict[str, str] = Field(default_factory=dict)  # MBean property of a key -> label that has it

    @field_validator("column")
    @classmethod
    def _known(cls, value: str) -> str:
        table, _dot, column = value.partition(".")
        if table not in mbeans.tables() or column not in mbeans.tables()[table].columns:
            raise ValueError("is no column of a table of schema/mbeans.yaml; write table.column")
        return value


_CLIENTS = {name: kind for name, kind, _about in ENDPOINT_TABLES["client_metrics"][1]}
MEASURED = frozenset(name for name, kind in _CLIENTS.items() if kind in (pa.int64(), pa.float64()))


class _Begun(Strict):
    """Names of metrics less their beginnings, and the column of each."""

    begin: list[str] = Field(default_factory=lambda: [""])
    metrics: dict[str, str] = Field(default_factory=dict)

    @field_validator("metrics", "labels", check_fields=False)
    @classmethod
    def _known(cls, value: dict[str, Any], told: ValidationInfo) -> dict[str, Any]:
        there = MEASURED if told.field_name == "metrics" else _CLIENTS.keys() - MEASURED
        columns = set(value.values() if told.field_name == "metrics" else value)
        if strange := sorted(columns - there):
            raise ValueError(f"client_metrics has no column {', '.join(strange)[:200]}")
        return value

    def columns(self) -> dict[str, str]:
        """Column by metric name as exporters spell it, in lower case."""
        return {
            exporter_name(begin + metric): column for begin in self.begin for metric, column in self.metrics.items()
        }


class ScrapedClients(_Begun):
    """How an exporter in a client's own JVM calls the same. releases: metrics whose label `version` is its release."""

    releases: list[str] = Field(default_factory=list)


class ClientNames(_Begun):
    """How metrics that clients push are called (KIP-714), and the labels that tell whose they are."""

    labels: dict[str, list[str]] = Field(default_factory=dict)
    scraped: ScrapedClients = Field(default_factory=ScrapedClients)


class Spelling(Strict):
    """What metric_names.yaml holds, and the same keys of a --map file."""

    names: list[Pattern] = Field(default_factory=list)
    wildcards: dict[str, list[str]] = Field(default_factory=dict)
    metrics: dict[str, list[Exact]] = Field(default_factory=dict)
    required: dict[str, str] = Field(default_factory=dict)
    needs: dict[str, list[str]] = Field(default_factory=dict)
    whole: list[str] = Field(default_factory=list)
    later: list[str] = Field(default_factory=list)
    clients: ClientNames = Field(default_factory=ClientNames)
