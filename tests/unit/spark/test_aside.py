"""Who is set aside when a query fails for some clusters: how many trials that takes, and what ends the job instead."""

import math
from collections.abc import Callable, Collection
from typing import Any

import pytest

from fleet_spark import aside
from fleet_spark.aside import Aside, Task, sentence
from fleet_spark.failures import running

CLUSTERS = [f"c{number:04d}" for number in range(1_000)]


class Shown:
    """Views of which only the clusters are kept."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []
        self.left_out: set[str] = set()

    def show(self, tables: Collection[str], clusters: Collection[str]) -> None:
        assert tables == {"facts"}
        self.shown.append(list(clusters))

    def leave_out(self, clusters: Collection[str]) -> None:
        self.left_out |= set(clusters)


def failing(fails: Callable[[list[str]], Any], name: str = "q") -> Task[list[str]]:
    """A query that raises what `fails` gives for the clusters that it reads; else its result is their names."""

    def run(clusters: list[str]) -> list[str]:
        with running(name):
            if (error := fails(clusters)) is not None:
                raise error
        return list(clusters)

    return Task({"facts"}, run)


def among(*guilty: str) -> Callable[[list[str]], ValueError | None]:
    """A value that the query does not take, of these clusters."""
    return lambda clusters: ValueError("out of range") if set(guilty) & set(clusters) else None


def test_while_nothing_fails_nothing_more_is_run() -> None:
    views, runs = Shown(), list[str]()
    job = Aside(views, CLUSTERS, "a job")
    tasks = {name: failing(lambda _clusters, name=name: runs.append(name), name) for name in ("a", "b", "c", "d", "e")}
    assert job.run_all(tasks) == dict.fromkeys(tasks, CLUSTERS)
    assert sorted(runs) == sorted(tasks)
    assert (views.shown, job.sentences) == ([], {})


@pytest.mark.parametrize("guilty", [["c0000"], ["c0999"], ["c0412", "c0413"], ["c0001", "c0500", "c0998"]])
@pytest.mark.fault(65)
def test_the_guilty_are_found_in_two_trials_for_each_halving(guilty: list[str]) -> None:
    views = Shown()
    job = Aside(views, CLUSTERS, "a job")
    left = [one for one in CLUSTERS if one not in guilty]
    assert job.run(failing(among(*guilty))) == left == job.clusters
    assert job.sentences == dict.fromkeys(guilty, sentence("q", "ValueError"))
    assert views.left_out == set(guilty)
    assert views.shown[0] == [], "that it fails without any is looked at first"
    assert len(views.shown) <= 1 + len(guilty) * 2 * math.ceil(math.log2(len(CLUSTERS)))


@pytest.mark.fault(65)
def test_all_may_be_guilty_and_each_has_its_sentence() -> None:
    job = Aside(Shown(), CLUSTERS[:20], "a job")
    assert job.run(failing(lambda clusters: ValueError() if clusters else None)) == []
    assert list(job.sentences) == CLUSTERS[:20]


def test_who_is_named_by_which_query_does_not_depend_on_which_was_faster() -> None:
    tasks = {name: failing(among("c0007"), name) for name in ("late", "early")}
    for order in (tasks, dict(tasks)):
        job = Aside(Shown(), CLUSTERS[:20], "a job")
        found = job.run_all({**order, "unharmed": failing(lambda _clusters: None)})
        assert job.sentences == {"c0007": sentence("late", "ValueError")}
        assert set(found["late"]) == set(found["early"]) == set(CLUSTERS[:20]) - {"c0007"}


def ends(job: Aside, fails: Callable[[list[str]], Any], error: type[Exception]) -> list[str]:
    """That the job ends with this error and sets nobody aside; gives the longest of what was tried."""
    with pytest.raises(error):
        job.run(failing(fails))
    assert job.sentences == {}
    return job.clusters


@pytest.mark.fault(66)
def test_what_fails_without_any_cluster_is_no_clusters_doing() -> None:
    views = Shown()
    ends(Aside(views, CLUSTERS, "a job"), lambda _clusters: ValueError(), ValueError)
    assert views.shown == [[]]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ConnectionResetError(), MemoryError()])
@pytest.mark.fault(66)
def test_what_a_machine_does_is_not_looked_into(error: Exception) -> None:
    views = Shown()
    ends(Aside(views, CLUSTERS, "a job"), lambda _clusters: error, type(error))
    assert views.shown == []


@pytest.mark.fault(66)
def test_what_may_be_the_machines_is_nobodys_where_it_hits_everybody() -> None:
    fails = lambda clusters: RuntimeError("a task was lost") if clusters else None  # noqa: E731
    ends(Aside(Shown(), CLUSTERS[:8], "a job"), fails, RuntimeError)
    job = Aside(Shown(), CLUSTERS[:8], "a job")
    job.run(failing(lambda clusters: RuntimeError("too much memory") if "c0003" in clusters else None))
    assert list(job.sentences) == ["c0003"]


@pytest.mark.fault(66)
def test_clusters_that_fail_together_only_end_the_job() -> None:
    pair = {"c0001", "c0900"}
    ends(
        Aside(Shown(), CLUSTERS, "a job"), lambda clusters: ValueError() if pair <= set(clusters) else None, ValueError
    )


def test_what_does_not_fail_again_goes_on() -> None:
    errors = [RuntimeError("once")]
    job = Aside(Shown(), CLUSTERS[:8], "a job")
    assert job.run(failing(lambda clusters: errors.pop() if errors else None)) == CLUSTERS[:8]
    assert job.sentences == {}


@pytest.mark.fault(65)
def test_trials_have_a_bound_after_which_a_group_is_set_aside_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aside, "MOST_TRIALS", 11)
    views, guilty = Shown(), {"c0000", "c0063"}
    job = Aside(views, CLUSTERS[:64], "a job")
    left = job.run(failing(among(*guilty)))
    assert len(views.shown) <= 11
    assert guilty < set(job.sentences), "those that were not told from them go with them"
    assert left == CLUSTERS[8:56], "all others are judged"
    assert set(job.sentences.values()) == {sentence("q", "ValueError", 8)}
    assert "of 8 clusters, of which it is one" in sentence("q", "ValueError", 8)
    with pytest.raises(ValueError, match="out of range"):
        job.run(failing(among("c0010")))


def test_sentences_name_query_and_condition_and_none_of_the_rows() -> None:
    job = Aside(Shown(), CLUSTERS[:4], "a job")
    job.run(failing(lambda clusters: ValueError("password: hunter2") if "c0002" in clusters else None))
    assert job.sentences == {"c0002": "Not judged on this day: its measurements made the query `q` fail (ValueError)."}
