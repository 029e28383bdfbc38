"""Flat rows of a signature become detections and tables as signature.yaml words them."""

from datetime import datetime
from typing import Any

from kafka_fleet.knowledge.detections import Detection
from kafka_fleet.knowledge.signature_rows import detections_of, table_of
from kafka_fleet.knowledge.signatures import Signature

GIVEN = {
    "id": "shown", "title": "Shown", "symptom": "Shown", "causes": {"slow": "It is slow."}, "thresholds": {},
    "needs": {"input": "something that has to be there"}, "look_alikes": [], "remeasure": "",
    "evidence": [{"metric": "how many", "value": "many", "unit": "rows", "source": "host:node_load1"}],
}  # fmt: skip
FOUND = {
    "cluster": "a", "cause": "slow", "strength": "suggestive", "many": 2,
    "from_at": datetime(2026, 1, 1), "to_at": datetime(2026, 1, 2),
}  # fmt: skip


def signature(**words: Any) -> Signature:
    return Signature.model_validate(GIVEN | words)


def row(ordinal: int, **columns: Any) -> dict[str, Any]:
    return FOUND | {"ordinal": ordinal} | columns


def detected(shown: Signature, rows: list[dict[str, Any]], named: list[dict[str, Any]]) -> Detection:
    (one,) = detections_of(shown, rows, named, {})
    return one


def test_place_of_several_things() -> None:
    shown = signature(place={"text": "broker {{ broker }}", "most": 2})
    rows = [row(4, broker=9), row(1, broker=3), row(2, broker=3), row(3, broker=1)]
    assert detected(shown, rows, []).evidence[0]["where"] == "broker 3, broker 1"


def test_place_is_the_first_template_that_the_worst_row_fills() -> None:
    shown = signature(place=["group {{ group }}", "broker {{ broker }}"])
    by_group, by_broker = row(1, group="g", broker=1), row(1, group=None, broker=1)
    assert detected(shown, [by_group], []).evidence[0]["where"] == "group g"
    assert detected(shown, [by_broker, row(2, group="g", broker=1)], []).evidence[0]["where"] == "broker 1"


def test_place_is_named_as_subjects_are() -> None:
    shown = signature(place="broker {{ broker }}", subjects=[{"name": "broker {{ broker }}"}])
    found = detected(shown, [row(1, broker=1)], [row(2, broker=1), row(1, broker=2)])
    assert found.evidence[0]["where"] == "broker 2"
    assert found.subjects == ("broker 2", "broker 1")


def test_kinds_of_subjects_are_named_by_the_rows_that_have_their_columns() -> None:
    shown = signature(
        subjects=[
            {"name": "broker {{ broker }}"},
            {"name": ["client {{ old }} (old)", "client {{ new }}"], "most": 3, "by_name": True},
        ],
        subjects_query="SELECT",
    )
    clients = [("b", None), ("a", "d"), (None, "c")]
    named = [{"cluster": "a", "cause": "slow", "ordinal": 0, "old": old, "new": new} for old, new in clients]
    rows = [row(2, broker=1), row(1, broker=2)]
    clients_named = ("client a (old)", "client b (old)", "client c", "and 1 more clients")
    assert detected(shown, rows, named).subjects == ("broker 2", "broker 1", *clients_named)
    assert detected(shown, rows, []).subjects == ("broker 2", "broker 1")


def test_rows_have_a_place_of_their_own_in_the_table() -> None:
    shown = signature(table={"broker": "broker"})
    rows = [row(1, broker=1, line=2), row(2, broker=2, line=None), row(3, broker=3, line=1)]
    assert table_of(shown, rows) == {"columns": ["broker"], "rows": [["3"], ["1"]]}
    assert table_of(shown, rows[1:2]) is None
    assert table_of(shown, [row(2, broker=2), row(1, broker=1)]) == {"columns": ["broker"], "rows": [["1"], ["2"]]}


def test_a_cell_without_text_is_empty() -> None:
    shown = signature(table={"of": "{% if sets is not none %}{{ sets }} of {{ all }}{% endif %}"})
    rows = [row(1, sets=2, all=None), row(2, sets=None, all=None)]
    assert table_of(shown, rows) == {"columns": ["of"], "rows": [["2 of ?"], [None]]}
