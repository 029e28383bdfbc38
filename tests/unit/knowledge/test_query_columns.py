"""The list of columns is that of the code that reads them, and what a query lacks is named with what asks for it."""

from pathlib import Path

import pytest
import yaml

from kafka_fleet.knowledge.detection_rows import COLUMNS
from kafka_fleet.knowledge.needs import Shown
from kafka_fleet.knowledge.plots import MISSING, POINTS
from kafka_fleet.knowledge.query_columns import (
    CONDITION,
    DETECTIONS,
    NEEDS,
    PLOT_MISSING,
    PLOT_POINTS,
    QUERIES,
    lacking,
    named_columns,
)
from kafka_fleet.knowledge.query_columns import SERIES as SERIES_COLUMNS
from kafka_fleet.knowledge.signature_rows import SERIES
from kafka_fleet.knowledge.signatures import OPTIONAL, load_signatures
from kafka_fleet.knowledge.signatures import QUERIES as FILES

CONTRACT = Path(__file__).resolve().parents[2] / "data/signature_causes.yaml"


def test_the_list_is_that_of_what_is_read() -> None:
    assert tuple(CONDITION) == COLUMNS
    assert tuple(SERIES_COLUMNS) == SERIES
    assert (set(PLOT_POINTS), set(PLOT_MISSING)) == (set(POINTS), set(MISSING))
    assert set(NEEDS) == set(Shown._fields)
    assert set(QUERIES["signatures"]) == {*FILES, *OPTIONAL}


@pytest.mark.parametrize("name", load_signatures())
def test_every_column_that_a_signature_names_is_given_by_its_query(name: str) -> None:
    signature = load_signatures()[name]
    named = list(named_columns(signature))
    assert {line.value for line in signature.evidence} <= {column for column, _key in named}
    words = set(signature.detections_query.replace(".", " ").replace(",", " ").replace("(", " ").split())
    assert [column for column, _key in named if column not in words] == []


def test_what_is_lacking_is_named_with_the_key_that_asks_for_it() -> None:
    signature = load_signatures()["retriable_errors"]
    given = {*DETECTIONS, *(column for column, _key in named_columns(signature))} - {"strength", "nameless", "line"}
    assert lacking(given, DETECTIONS, named_columns(signature)) == [
        "column strength",
        "column nameless (evidence, entry 3, value of signature.yaml)",
    ]


def test_no_signature_or_cause_of_a_release_is_gone() -> None:
    installed = {name: set(one.causes) for name, one in load_signatures().items()}
    released = yaml.safe_load(CONTRACT.read_text(encoding="utf-8"))
    assert len(released) >= 8
    assert {name: sorted(set(causes) - installed.get(name, set())) for name, causes in released.items()} == {
        name: [] for name in released
    }
