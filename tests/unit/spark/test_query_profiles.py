"""The settings of a session over queries of several threads: who waits for another way goes on, whatever happens."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from fleet_spark import query_profiles
from fleet_spark.query_profiles import FEW_ROWS, QueryProfiles


class Gone(RuntimeError):
    """Said by whatever asks a JVM that was killed."""


@pytest.mark.fault(58)
def test_who_waits_for_a_query_is_told_that_the_jvm_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    killed, runs, asks = Event(), Event(), Event()

    def apply_profile(_spark: Any, _rows: int) -> None:
        if killed.is_set():
            raise Gone

    monkeypatch.setattr(query_profiles, "apply_profile", apply_profile)
    known = QueryProfiles(None)  # type: ignore[arg-type]
    known.rows = {"large": FEW_ROWS, "small": 1}

    def large() -> None:
        with known.for_query("SELECT * FROM large"):
            runs.set()
            killed.wait(10)

    def small() -> None:
        asks.set()
        with known.for_query("SELECT * FROM small"):
            pass

    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(large)
        assert runs.wait(10)
        waiting = pool.submit(small)
        assert asks.wait(10)
        killed.set()
        for one in (running, waiting):
            with pytest.raises(Gone):
                one.result(10)
