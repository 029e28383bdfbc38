"""Where the metrics are that a cluster's clients push (KIP-714): a Prometheus, and which of its series are whose."""

from typing import Annotated

from pydantic import Field

from kafka_fleet.config.field_types import ConnectionId, Matchers, Strict, Url, checked
from kafka_fleet.schema.metric_spelling import MEASURED


def _column_problem(name: str) -> str | None:
    return None if name in MEASURED else f"must be a column of client_metrics: {', '.join(sorted(MEASURED))}"


class ClientMetrics(Strict):
    """A Prometheus: its address. selector: matchers that the cluster's series have; None: a label has its id.

    metrics: names of one's own beside those of metric_names.yaml, and the column of `client_metrics` of each.
    """

    prometheus: Url
    selector: Matchers | None = None
    metrics: dict[str, Annotated[str, checked(_column_problem)]] = Field(default_factory=dict)
    connection: ConnectionId | None = None
