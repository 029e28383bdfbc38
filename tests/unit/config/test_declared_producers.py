"""Producers that an owner declares by client.id: what is stored of them, and what is refused."""

import json
from typing import Any

import pytest

from support.builders.fleet_entries import GOOD, changed, fleet

WHERE = ("client_configs", "producers")


@pytest.mark.parametrize("named", [{}, {"client_ids": ["billing"]}])
def test_producers_without_client_ids_are_stored_as_by_earlier_versions(named: dict[str, Any]) -> None:
    producers = {"software": "apache-kafka-java", "version": "<2.1", **named}
    (one,) = fleet(changed(GOOD, WHERE, [producers])).clusters
    (stored,) = json.loads(one.declaration())["client_configs"]["producers"]
    assert stored == {**producers, "listener": None}


@pytest.mark.parametrize(
    ("names", "field", "about"),
    [
        ("billing", "client_ids", "must be a list"),
        ([""], "client_ids, entry 1", "at least 1"),
        (["a" * 256], "client_ids, entry 1", "at most 255"),
        ([f"a{number}" for number in range(1001)], "client_ids", "at most 1000"),
    ],
)
def test_what_is_no_list_of_client_ids_is_one_sentence(names: Any, field: str, about: str) -> None:
    (error,) = fleet(changed(GOOD, WHERE, [{"software": "x", "client_ids": names}])).errors
    assert error.field == f"client_configs.producers, entry 1, {field}"
    assert about in error.problem
