"""Raw to facts: runs the queries of `sql/marts/`, each as soon as what it reads is there, and stores the results.

Small queries wait for their planning more than they compute, so AT_ONCE of them run at a time.
"""

from collections.abc import Collection, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

from fleet_spark.aside import AT_ONCE, Aside, Task
from fleet_spark.failures import QueryFailed, running
from fleet_spark.query_profiles import tables_read
from fleet_spark.tables import Day
from kafka_fleet.store.excluded_clusters import note_set_aside
from kafka_fleet.store.generations import Unchangeable
from kafka_fleet.store.raw.day_quota import beyond_quota

CLOCK_SECONDS = 5  # the agent tells whole seconds, and clocks kept by NTP differ by less
START_HOURS = 24  # process start to first sweep counts as an interval up to this length


def fact_queries(sql: Path, wanted: Collection[str] | None = None) -> dict[str, str]:
    """Query text by fact table, ordered so that each comes after the tables it reads.

    wanted: only these tables and what they are made of, directly or not; None: all. Raises ValueError on a cycle.
    """
    queries = {path.stem: path.read_text(encoding="utf-8") for path in sorted((sql / "marts").glob("*.sql"))}
    reads = {name: (tables_read(text) & set(queries)) - {name} for name, text in queries.items()}
    ordered: dict[str, str] = {}
    while len(ordered) < len(queries):
        ready = [name for name in queries if name not in ordered and reads[name] <= set(ordered)]
        if not ready:
            raise ValueError(f"sql/marts: {', '.join(sorted(set(queries) - set(ordered)))} read each other in a circle")
        ordered.update({name: queries[name] for name in ready})
    needed = set(queries if wanted is None else wanted)
    for name in reversed(ordered):
        needed |= reads[name] if name in needed else set()
    return {name: query for name, query in ordered.items() if name in needed}


def write_facts(day: Day, clusters: list[str], wanted: Collection[str] | None = None) -> None:
    """Compute and publish the day's fact tables: all, or those wanted and what they are made of.

    Clusters that hold more than a day may (day_quota.py) or make a query fail (aside.py) are set aside.
    Raises Unchangeable where the day was judged by this generation already.
    """
    if day.judged:
        raise Unchangeable(day.generation, day.ds)
    sweeps = day.load_raw(clusters)
    named = {one.cluster for one in sweeps}
    print(f"facts of {day.ds}: {len(sweeps)} sweeps of {len(named)} clusters", flush=True)
    for damaged in day.damaged:
        print(f"facts of {day.ds}: {damaged.cluster} sweep {damaged.sweep} is not used: {damaged.reason}", flush=True)
    aside = Aside(day, named, f"facts of {day.ds}")
    for cluster, held in beyond_quota(sweeps).items():
        aside.set_aside(cluster, held.sentence)
    if aside.sentences:
        day.leave_out(aside.sentences)
    queries = fact_queries(day.sql, wanted)
    done = _at_once(day, queries)
    for name in [name for name in queries if name not in done]:
        _say(day, name, aside.run(Task(tables_read(queries[name]), partial(_write_of, day, name, queries[name]))))
    note_set_aside(day.results, day.ds, day.generation, "facts", aside.sentences)
    day.publish_facts(queries)


def _at_once(day: Day, queries: Mapping[str, str]) -> set[str]:
    """Write every table as soon as those that it reads are there; gives which are: all, unless rows made one fail."""
    waiting = {name: tables_read(query) & (set(queries) - {name}) for name, query in queries.items()}
    done: set[str] = set()
    failed = False
    with ThreadPoolExecutor(AT_ONCE) as pool:
        begun: dict[Future[int], str] = {}
        try:
            while begun or (waiting and not failed):
                for name in [name for name, reads in waiting.items() if reads <= done and not failed]:
                    del waiting[name]
                    begun[pool.submit(_write, day, name, queries[name])] = name
                for finished in wait(begun, return_when=FIRST_COMPLETED).done:
                    name = begun.pop(finished)
                    try:
                        _say(day, name, finished.result())
                        done.add(name)
                    except QueryFailed:
                        failed = True
                if failed:  # what was not begun waits until it is known which clusters are at fault
                    begun = {one: name for one, name in begun.items() if not one.cancel()}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # what was not begun is for nothing
            raise
    return done


def _say(day: Day, table: str, rows: int) -> None:
    print(f"facts of {day.ds}: {table}: {rows} rows", flush=True)


def _write_of(day: Day, table: str, query: str, _clusters: list[str]) -> int:
    """As _write; the views that the query reads have the rows of the clusters already."""
    return _write(day, table, query)


def _write(day: Day, table: str, query: str) -> int:
    known = {"ds": day.ds, "start_hours": START_HOURS, "clock_s": CLOCK_SECONDS}
    values = {name: value for name, value in known.items() if f":{name}" in query}
    with running(table):
        return day.write_fact(table, query, values)
