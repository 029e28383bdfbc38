"""Comparing a signature with its second computation: takes rows of both, fails at the first difference."""

from typing import Any

import pytest

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures

Row = dict[str, Any]


def limits(signature: str) -> dict[str, float]:
    """Thresholds in force."""
    return {name: float(one.value) for name, one in load_signatures(sql_dir())[signature].thresholds.items()}


def of_kind(rows: list[Row], kind: str) -> list[Row]:
    """Rows of the random fleets of one kind."""
    return [row for row in rows if row["cluster"].startswith(f"{kind}-")]


def plain(value: Any) -> Any:
    """Without the zone: Spark hands out naive times, of UTC."""
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


def same(measured: list[Row], expected: list[Row], columns: tuple[str, ...]) -> None:
    """A step of the signature holds the expected rows; numbers are equal to 1e-9 of themselves."""

    def key(row: Row) -> list[str]:
        return [str(plain(row[column])) for column in columns if not isinstance(row[column], float)]

    assert len(measured) == len(expected) > 10
    for found, wanted in zip(sorted(measured, key=key), sorted(expected, key=key), strict=True):
        for column in columns:
            value, meant = plain(found[column]), plain(wanted[column])
            if isinstance(value, float) and meant is not None:
                assert value == pytest.approx(meant, rel=1e-9, abs=1e-9), (column, found)
            else:
                assert value == meant, (column, found)


def same_detections(signature: str, found: dict[str, list[Row]], expected: list[Row]) -> None:
    """Every detection is expected, with strength, subjects and bounds; evidence is equal to its four digits."""
    names = {line.metric: line.value for line in load_signatures(sql_dir())[signature].evidence}
    measured = [{"cluster": cluster, **one} for cluster, rows in found.items() for one in rows]
    order = ("cluster", "cause", "subjects")
    measured, wanted = (
        sorted(rows, key=lambda row: [str(row[name]) for name in order]) for rows in (measured, expected)
    )
    whole = (*order, "strength", "bounds")
    assert [[row[name] for name in whole] for row in measured] == [[row[name] for name in whole] for row in wanted]
    for one, meant in zip(measured, wanted, strict=True):
        values = {names[line["metric"]]: line["value"] for line in one["evidence"]}
        told = {name: float(value) for name, value in meant["evidence"].items() if value is not None}
        assert values == pytest.approx(told, rel=1e-9, abs=6e-5), (one["cluster"], one["cause"])


def same_states(signature: str, results: list[Row], kind: str, unmeasured: set[str]) -> None:
    """A cluster is detected, else not evaluated where too little of it was measured, else quiet."""
    rows = [row for row in of_kind(results, kind) if row["signature"] == signature]
    for row in rows:
        calm = "not_evaluated" if row["cluster"] in unmeasured else "quiet"
        assert row["state"] == ("detected" if row["detections"] else calm), row["cluster"]
    assert {row["state"] for row in rows} >= {"detected", "quiet"}
