"""In which order fact tables are computed, and that none is begun once another has failed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from fleet_spark import facts
from fleet_spark.facts import fact_queries, write_facts


def written(folder: Path, queries: dict[str, str]) -> Path:
    """A folder of queries as sql/ has them."""
    (folder / "marts").mkdir()
    for name, text in queries.items():
        (folder / f"marts/{name}.sql").write_text(text)
    return folder


CHAIN = {
    "a_last": "SELECT * FROM middle",
    "middle": "SELECT * FROM z_first",
    "z_first": "SELECT 1",
    "lonely": "SELECT 2",
}


def test_a_table_comes_after_those_that_it_reads_and_only_what_is_wanted_is_there(tmp_path: Path) -> None:
    sql = written(tmp_path, CHAIN)
    order = list(fact_queries(sql))
    assert sorted(order) == sorted(CHAIN)
    assert order.index("z_first") < order.index("middle") < order.index("a_last")
    assert list(fact_queries(sql, ["middle"])) == ["z_first", "middle"]


def test_tables_that_read_each_other_in_a_circle_are_named(tmp_path: Path) -> None:
    sql = written(tmp_path, {**CHAIN, "z_first": "SELECT * FROM a_last"})
    with pytest.raises(ValueError, match="sql/marts: a_last, middle, z_first read each other in a circle"):
        fact_queries(sql)


class Failing:
    """A day whose table `bad` cannot be written; the one after it takes until the rest has been given up."""

    ds, judged, damaged = "2026-11-09", False, ()

    def __init__(self, sql: Path, given_up: Event) -> None:
        self.sql, self.given_up, self.begun, self.published = sql, given_up, list[str](), False

    def load_raw(self, _clusters: list[str]) -> list[Any]:
        return []

    def write_fact(self, table: str, _query: str, _values: dict[str, Any]) -> int:
        self.begun.append(table)
        if table == "bad":
            raise OSError("this table cannot be written")
        assert self.given_up.wait(60)
        return 1

    def publish_facts(self, _queries: dict[str, str]) -> None:
        self.published = True


def test_a_table_that_fails_is_the_end_of_what_was_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given_up = Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            given_up.set()
            super().shutdown(wait=wait)

    monkeypatch.setattr(facts, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(facts, "AT_ONCE", 1)
    sql = written(tmp_path, {"bad": "SELECT 1", **{f"good{number}": "SELECT 1" for number in range(8)}})
    day = Failing(sql, given_up)
    with pytest.raises(OSError, match="this table cannot be written"):
        write_facts(day, [])  # type: ignore[arg-type]
    assert day.begun[0] == "bad"
    assert len(day.begun) <= 2, "the one that was begun meanwhile is ended, the others are not begun"
    assert not day.published
