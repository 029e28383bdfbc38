"""A day goes on without the clusters that make a query of it fail: takes queries and clusters, gives their results.

A query reads all clusters at once, so that one value which it does not take ends it for all. Then it is run again over
halves of the clusters, until those are found that make it fail by themselves; they are set aside, each with a sentence,
and the day is computed as if they had no sweep. While nothing fails, nothing is run for this.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from fleet_spark.failures import QueryFailed

AT_ONCE = 3  # small queries wait for their planning more than they compute
MOST_TRIALS = 1_000  # of one job: one guilty cluster among a thousand takes 21
Result = TypeVar("Result")


class Views(Protocol):
    """What queries read: tables by name, each with a column `cluster`."""

    def show(self, tables: Collection[str], clusters: Collection[str]) -> None:
        """Let these tables have the rows of these clusters alone; a name that is none of them is passed over."""

    def leave_out(self, clusters: Collection[str]) -> None:
        """Let no table have a row of these clusters any more."""


class Task(NamedTuple, Generic[Result]):
    """A query or several. run: gives their result for the clusters that it is given; tables: of whose rows."""

    tables: Collection[str]
    run: Callable[[list[str]], Result]


class Aside:
    """The clusters of one job: those that it computes, and those that it has set aside, with why.

    clusters: in the order of their names. sentences: cluster -> one whole sentence. said: what lines of its log begin
    with. views: what the tasks read; None: nobody can be set aside, and what a query raised is raised. Tasks raise
    QueryFailed for what rows can have done; anything else ends the job.
    """

    def __init__(self, views: Views | None, clusters: Iterable[str], said: str) -> None:
        self.clusters = sorted(clusters)
        self.sentences: dict[str, str] = {}
        self._views = views
        self._said = said
        self._left = MOST_TRIALS

    def run_all(self, tasks: Mapping[str, Task[Result]]) -> dict[str, Result]:
        """Results by name, over the clusters that are left in the end: those set aside may still be in some of them.

        The tasks run AT_ONCE at a time. After one has failed the rest run one by one in their order, so that whom a
        sentence names, and by which query, does not depend on which was faster. Raises as run().
        """
        with ThreadPoolExecutor(AT_ONCE) as pool:
            running = {name: pool.submit(task.run, self.clusters) for name, task in tasks.items()}
            wait(running.values(), return_when=FIRST_EXCEPTION)
            for one in running.values():
                one.cancel()
        found: dict[str, Result] = {}
        for name, one in running.items():
            error = None if one.cancelled() else one.exception()
            if error is not None and not isinstance(error, QueryFailed):
                raise error
            if error is None and not one.cancelled():
                found[name] = one.result()
        return {name: found[name] if name in found else self.run(task) for name, task in tasks.items()}

    def run(self, task: Task[Result]) -> Result:
        """The task's result over all clusters but those that make it fail, which are set aside.

        Raises what the query raised where that is no cluster's doing: it fails without any cluster as well, or no
        cluster makes it fail by itself, or every one does by what a machine could have done.
        """
        while True:
            try:
                return task.run(self.clusters)
            except QueryFailed as error:
                failed = error
            views = self._views
            if views is None or self._left < 2:
                raise failed.error
            print(f"{self._said}: {failed}: looking for the clusters that make it fail", flush=True)
            if (always := self._trial(views, task, [])) is not None:
                print(f"{self._said}: it fails without any cluster as well", flush=True)
                raise always.error
            guilty = self._guilty(views, task, self.clusters, failed)
            if not guilty:
                print(f"{self._said}: no cluster makes it fail by itself", flush=True)
                views.show(task.tables, self.clusters)
                return self._unwrapped(task)
            if len(guilty) == len(self.clusters) and any(one.kind != "data" for one, _group in guilty.values()):
                print(f"{self._said}: it fails for each of {len(guilty)} clusters by itself", flush=True)
                raise failed.error
            for cluster, (one, group) in guilty.items():
                self.set_aside(cluster, sentence(one.query, one.condition, group))
            views.leave_out(guilty)

    def set_aside(self, cluster: str, why: str) -> None:
        """Go on without a cluster. Its rows stay where they are: run() has them left out, and who calls this does."""
        self.clusters = [one for one in self.clusters if one != cluster]
        self.sentences[cluster] = why
        print(f"{self._said}: {cluster}: {why}", flush=True)

    def _unwrapped(self, task: Task[Result]) -> Result:
        try:
            return task.run(self.clusters)
        except QueryFailed as failed:
            raise failed.error from None

    def _trial(self, views: Views, task: Task[Any], clusters: list[str]) -> QueryFailed | None:
        self._left -= 1
        views.show(task.tables, clusters)
        try:
            task.run(clusters)
        except QueryFailed as failed:
            return failed
        return None

    def _guilty(
        self, views: Views, task: Task[Any], clusters: list[str], failed: QueryFailed
    ) -> dict[str, tuple[QueryFailed, int]]:
        """Those of which the task fails, each with its failure and how many it was found among.

        That is one, or more where the trials of the job have come to their end; the largest group is halved first.
        """
        found: dict[str, tuple[QueryFailed, int]] = {}
        groups = [(clusters, failed)]
        while groups:
            group, error = groups.pop(0)
            if len(group) == 1 or self._left < 2:
                found |= dict.fromkeys(group, (error, len(group)))
                continue
            for half in (group[: len(group) // 2], group[len(group) // 2 :]):
                if (again := self._trial(views, task, half)) is not None:
                    groups.append((half, again))
        return dict(sorted(found.items()))


def sentence(query: str, condition: str, among: int = 1) -> str:
    """Why a cluster is not judged. among: of how many clusters it is one, where which of them it is was not found."""
    made = f"made the query `{query}` fail ({condition})"
    if among == 1:
        return f"Not judged on this day: its measurements {made}."
    return (
        f"Not judged on this day: the measurements of {among:,} clusters, of which it is one, {made}, and after "
        f"{MOST_TRIALS:,} trials it is not known which of them do."
    )
