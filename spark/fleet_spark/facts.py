"""Raw to facts: runs the queries of `sql/facts/`, each as soon as what it reads is there, and stores the results.

Small queries wait for their planning more than they compute, so AT_ONCE of them run at a time.
"""

from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from fleet_spark.tables import Day
from fleet_spark.ways import tables_read
from kafka_fleet.store.generations import Unchangeable

CLOCK_SECONDS = 5  # the agent tells whole seconds, and clocks kept by NTP differ by less
START_HOURS = 24  # process start to first sweep counts as an interval up to this length
AT_ONCE = 3


def fact_queries(sql: Path, wanted: Collection[str] | None = None) -> dict[str, str]:
    """Query text by fact table, ordered so that each comes after the tables it reads.

    wanted: only these tables and what they are made of, directly or not; None: all. Raises ValueError on a cycle.
    """
    queries = {path.stem: path.read_text(encoding="utf-8") for path in sorted((sql / "facts").glob("*.sql"))}
    reads = {name: (tables_read(text) & set(queries)) - {name} for name, text in queries.items()}
    ordered: dict[str, str] = {}
    while len(ordered) < len(queries):
        ready = [name for name in queries if name not in ordered and reads[name] <= set(ordered)]
        if not ready:
            raise ValueError(f"sql/facts: {', '.join(sorted(set(queries) - set(ordered)))} read each other in a circle")
        ordered.update({name: queries[name] for name in ready})
    needed = set(queries if wanted is None else wanted)
    for name in reversed(ordered):
        needed |= reads[name] if name in needed else set()
    return {name: query for name, query in ordered.items() if name in needed}


def write_facts(day: Day, clusters: list[str], wanted: Collection[str] | None = None) -> None:
    """Compute and publish the day's fact tables: all, or those wanted and what they are made of.

    Raises Unchangeable where the day was judged by this generation already.
    """
    if day.judged:
        raise Unchangeable(day.generation, day.ds)
    sweeps = day.load_raw(clusters)
    print(f"facts of {day.ds}: {len(sweeps)} sweeps of {len({s.cluster for s in sweeps})} clusters", flush=True)
    for damaged in day.damaged:
        print(f"facts of {day.ds}: {damaged.cluster} sweep {damaged.sweep} is not used: {damaged.reason}", flush=True)
    queries = fact_queries(day.sql, wanted)
    waiting = {name: tables_read(query) & (set(queries) - {name}) for name, query in queries.items()}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running: dict[Future[int], str] = {}
        done: set[str] = set()
        try:
            while waiting or running:
                for name in [name for name, reads in waiting.items() if reads <= done]:
                    del waiting[name]
                    running[pool.submit(_write, day, name, queries[name])] = name
                for finished in wait(running, return_when=FIRST_COMPLETED).done:
                    name = running.pop(finished)
                    print(f"facts of {day.ds}: {name}: {finished.result()} rows", flush=True)
                    done.add(name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # what was not begun is for nothing
            raise
    day.publish_facts(queries)


def _write(day: Day, table: str, query: str) -> int:
    known = {"ds": day.ds, "start_hours": START_HOURS, "clock_s": CLOCK_SECONDS}
    values = {name: value for name, value in known.items() if f":{name}" in query}
    return day.write_fact(table, query, values)
