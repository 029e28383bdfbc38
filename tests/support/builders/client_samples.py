"""Samples of metrics of clients as a Prometheus has them: takes series, gives the rows that are made of them."""

from typing import Any

from kafka_fleet.collect.client_metrics.client_series import client_rows
from kafka_fleet.collect.connections.prometheus import Prometheus, Series
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.metric_tables import load_names
from support.homes.history_runs import LIMITS

NAMES = load_names()
WINDOW = 60_000


class Told(Prometheus):
    """A server with some samples; keeps what it was asked."""

    def __init__(self, found: list[Series]) -> None:
        super().__init__("http://127.0.0.1:1", Credentials(), LIMITS)
        self.found, self.asked = found, list[str]()

    def samples(self, selector: str, end_ms: int, back_ms: int) -> list[Series]:
        self.asked.append(selector)
        return self.found

    def series(self, selector: str, start_ms: int, end_ms: int) -> list[dict[str, str]]:
        self.asked.append(selector)
        return [one.metric for one in self.found]


def series(name: str, *values: tuple[float, str], **labels: str) -> Series:
    """One series of client a unless told otherwise; its samples as time in s and text."""
    return Series({"__name__": name, **({"client_id": "a"} | labels)}, list(values) or [(1.0, "7")])


def rows(*found: Series) -> list[dict[str, Any]]:
    """Rows of these series; none is left out."""
    kept, detail = client_rows(Told(list(found)), "{}", NAMES, 0, WINDOW)
    assert detail is None
    return kept
