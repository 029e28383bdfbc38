"""The file of --map: takes its path, gives which series are whose, and further names. It holds no credentials.

version: 1
connection: prometheus_main           # an Airflow connection, or its environment variable, or the secrets file
clusters:
  payments-eu:
    selector: 'job="kafka",env="prod"'  # as between the braces of PromQL
    broker_label: pod                   # the label that tells the broker,
    broker_pattern: '-(\\d+)$'          # and where its id is in there
    brokers: {"10.0.0.7:7071": 3}       # or by `instance`
    clients: 'job="otlp"'               # which series of metrics that clients push (KIP-714) are of the cluster's
names, wildcards, metrics, clients:     # as in metric_names.yaml, besides those that are shipped
"""

from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.validation_errors import describe_errors
from kafka_fleet.base.yaml import FleetFileError, load_yaml
from kafka_fleet.config.field_types import BrokerId, ConnectionId, Matchers
from kafka_fleet.schema.metric_spelling import ClientNames, Exact, Pattern, Spelling, Strict, expression


class Choice(Strict):
    """Which series are a cluster's, and which of its brokers each is of."""

    selector: Matchers | None = None
    broker_label: str | None = Field(default=None, pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$")
    broker_pattern: str = r"(\d+)"
    brokers: dict[str, BrokerId] = Field(default_factory=dict)
    clients: Matchers | None = None

    @field_validator("broker_pattern")
    @classmethod
    def _group(cls, value: str) -> str:
        if expression(value).groups != 1:
            raise ValueError("must have one group, around the broker's id")
        return value


class Mapping(Strict):
    """The whole file; without one all of its parts are empty."""

    version: int = Field(default=1, ge=1, le=1)
    connection: ConnectionId | None = None
    clusters: dict[str, Choice] = Field(default_factory=dict)
    names: list[Pattern] = Field(default_factory=list)
    wildcards: dict[str, list[str]] = Field(default_factory=dict)
    metrics: dict[str, list[Exact]] = Field(default_factory=dict)
    clients: ClientNames = Field(default_factory=ClientNames)

    def spelling(self) -> Spelling:
        """Its names."""
        return Spelling(names=self.names, wildcards=self.wildcards, metrics=self.metrics, clients=self.clients)


def load_mapping(path: Path | None) -> Mapping:
    """The file at a path, or an empty one. Raises UsageError with every fault of it in one sentence."""
    if path is None:
        return Mapping()
    try:
        content: Any = load_yaml(path)
        return Mapping.model_validate(content)
    except FleetFileError as error:
        raise UsageError(str(error)) from error
    except ValidationError as error:
        raise UsageError(f"{path}: {'; '.join(describe_errors(error, 'file'))}") from None
