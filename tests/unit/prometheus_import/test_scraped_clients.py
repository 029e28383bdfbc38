"""Metrics of producers whose JVMs have an exporter: what a real Prometheus scraped becomes rows, by process."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kafka_fleet.collect.client_metrics.client_series import client_rows
from kafka_fleet.collect.connections.prometheus import Series
from support.builders.client_samples import NAMES, Told, rows, series
from support.servers.recorded_prometheus import FOLDER


@cache
def scraped() -> list[dict[str, Any]]:
    """Rows of what a real Prometheus had of the exporters in the JVMs of four producers, of 1.1.1 and of 3.9.1."""
    content = json.loads(gzip.decompress((Path(FOLDER) / "scraped_clients.json.gz").read_bytes()))
    samples = [msgspec.convert(one, Series) for one in content["samples"]]
    last = [Series(one.metric, one.values[-1:]) for one in samples]
    times = [round(at * 1000) for one in last for at, _value in one.values]
    found, detail = client_rows(Told(last), "{}", NAMES, min(times), max(times) + 1)
    assert detail is None
    return found


def test_producers_of_any_release_are_read_from_their_exporters() -> None:
    """With rules and without; the same numbers for the client and for its only topic."""
    whole = {row["client_id"]: row for row in scraped() if row["topic"] is None}
    topics = {row["client_id"]: row for row in scraped() if row["topic"] == "orders"}
    assert set(whole) == set(topics) == {"billing", "shop", "ledger", "depot"}
    assert len(scraped()) == len(whole) + len(topics)
    told = {name: row.get("software_version") for name, row in whole.items()}
    assert told == {"billing": "1.1.1", "shop": "1.1.1", "ledger": "3.9.1", "depot": None}
    for name, row in whole.items():
        assert row["client_instance_id"] == f"{name}@{row['instance']}" == topics[name]["client_instance_id"]
        assert topics[name]["record_errors"] == row["record_errors"]
        assert 0 <= row["queue_time_avg_ms"] <= row["queue_time_max_ms"]
        assert (row["record_errors"] > 0, row["record_retries"] > 0) == (
            (False, True) if name == "shop" else (True, False)
        )


RULES = {
    "of the example for Connect": ("kafka_producer_record_error_total", "kafka_producer_topic_record_error_total"),
    "none, before 1.0": (
        "kafka_producer_producer_metrics_record_error_total", "kafka_producer_producer_topic_metrics_record_error_total"
    ),
    "of one's own": ("kafka_producer_metrics_record_error", "kafka_producer_topic_metrics_record_error"),
}  # fmt: skip


@pytest.mark.parametrize("rules", RULES)
def test_names_of_exporters_are_known(rules: str) -> None:
    whole, of_topic = RULES[rules]
    one = {"clientId": "a", "client_id": "", "instance": "app-1:9404"}
    version = series("kafka_producer_version_info", (1.0, "1"), version="1.1.1", **one)
    found = rows(series(whole, **one), series(of_topic, topic="orders", **one), version)
    assert [(row["client_instance_id"], row["topic"], row["record_errors"]) for row in found] == [
        ("a@app-1:9404", None, 7),
        ("a@app-1:9404", "orders", 7),
    ]
    assert found[0]["software_version"] == "1.1.1"


def test_two_processes_with_one_client_id_are_two_clients_and_what_two_jobs_scrape_is_not_known() -> None:
    name = "kafka_producer_record_retry_total"
    found = rows(series(name, instance="app-1:9404"), series(name, instance="app-2:9404"))
    assert [row["client_instance_id"] for row in found] == ["a@app-1:9404", "a@app-2:9404"]
    (twice,) = rows(series(name, instance="i", job="x"), series(name, instance="i", job="y"))
    assert twice["record_retries"] is None
    (alone,) = rows(series(name))
    assert alone["client_instance_id"] is None, "without an instance the client.id is all that is known"
