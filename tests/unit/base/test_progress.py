"""Work on many clusters: results in order, a line for each as it ends, and what is waited for while none does."""

import threading
import time
from typing import NamedTuple

import pytest

from kafka_fleet.base import parallel


class Done(NamedTuple):
    name: str

    def summary(self) -> str:
        return f"{self.name}: 3 ok"


def test_each_is_told_as_it_ends_and_given_in_order():
    said: list[str] = []
    released = threading.Event()

    def run(name: str) -> Done:
        if name == "slow":
            assert released.wait(20)
        return Done(name)

    def say(line: str) -> None:
        said.append(line)
        if len(said) == 2:
            released.set()

    found = parallel.run_in_parallel(["slow", "a", "b"], str, run, 2, say)
    assert [one.name for one in found] == ["slow", "a", "b"]
    assert {line.split("] ")[1] for line in said[:2]} == {"a: 3 ok", "b: 3 ok"}
    assert said[2:] == ["[3/3] slow: 3 ok"]


def test_what_takes_long_is_named(monkeypatch):
    monkeypatch.setattr(parallel, "QUIET_S", 0.05)
    said: list[str] = []
    released = threading.Event()

    def say(line: str) -> None:
        said.append(line)
        released.set()

    def run(name: str) -> Done:
        assert released.wait(20)
        return Done(name)

    names = [f"c{number}" for number in range(7)]
    parallel.run_in_parallel(names, str, run, 6, say)
    assert said[0].startswith("[0/7] under way: c")
    assert said[0].endswith(" and 2 more")
    assert said[0].count("(0 s)") == parallel.NAMED
    assert len([line for line in said if line.endswith("3 ok")]) == 7


def test_a_failure_ends_the_rest():
    begun: list[int] = []

    def run(number: int) -> Done:
        begun.append(number)
        time.sleep(0.01)
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        parallel.run_in_parallel(range(500), str, run, 2, lambda line: None)
    assert len(begun) < 500
