"""Imports of the recorded day: takes a served recording and a home, gives what an import came to and its rows."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.connections.prometheus import Prometheus
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import.importer import Imported, Source, import_days
from kafka_fleet.prometheus_import.mapping import Choice
from kafka_fleet.prometheus_import.targets import ClusterTargets
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.servers.recorded_prometheus import STEP_S, Form, Recorded, payments, recorded

STEP = timedelta(seconds=STEP_S)
LIMITS = Limits(connect_s=10.0, read_s=20.0, deadline_s=40.0, max_bytes=32_000_000)
CHOICE = Choice(selector='job="kafka"')


@pytest.fixture(name="server")
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    monkeypatch.setattr("kafka_fleet.collect.connections.query_api.PAUSE_S", 0.0)
    with recorded() as found:
        yield found


def run(server: Recorded, home: Path, **more: Any) -> tuple[Imported, Callable[[str], list[dict[str, Any]]]]:
    source = Source(Prometheus(server.url, Credentials(), LIMITS), "recorded", load_names())
    whose = ClusterTargets(more.pop("cluster", payments()), more.pop("choice", CHOICE))
    result = import_days(source, whose, home, [server.day], more.pop("step", STEP), lambda _line: None)
    whole, damaged = manifests(home, server.day)
    assert damaged == []
    return result, lambda table: read_rows(home, whole, table)


def series(change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Callable[[str, Form, bytes], bytes]:
    """A change of every series of samples; None leaves it out."""

    def changed(path: str, _form: Form, body: bytes) -> bytes:
        if path != "/api/v1/query":
            return body
        answer = json.loads(body)
        found = [change(one) for one in answer["data"]["result"]]
        answer["data"]["result"] = [one for one in found if one is not None]
        return json.dumps(answer).encode()

    return changed


def named(word: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Callable[[str, Form, bytes], bytes]:
    return series(lambda one: change(one) if word in one["metric"]["__name__"].lower() else one)


def hide(word: str) -> Callable[[str, Form, bytes], bytes]:
    """The exporters never showed these metrics."""
    samples = named(word, lambda _one: None)

    def changed(path: str, form: Form, body: bytes) -> bytes:
        if path.endswith("/values"):
            answer = json.loads(body)
            answer["data"] = [name for name in answer["data"] if word not in name.lower()]
            return json.dumps(answer).encode()
        return samples(path, form, body)

    return changed
