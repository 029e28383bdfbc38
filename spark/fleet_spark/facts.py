"""Raw to facts: runs every query of `sql/facts/` in order of what it reads, writes each result as a fact table."""

import re
from pathlib import Path

from fleet_spark.tables import Day

START_HOURS = 24  # process start to first sweep counts as an interval up to this length
_READS = re.compile(r"\b(?:FROM|JOIN)\s+([a-z_]+)")


def fact_queries(sql: Path) -> dict[str, str]:
    """Query text by fact table, ordered so that each comes after the tables it reads. Raises ValueError on a cycle."""
    queries = {path.stem: path.read_text(encoding="utf-8") for path in sorted((sql / "facts").glob("*.sql"))}
    reads = {name: (set(_READS.findall(text)) & set(queries)) - {name} for name, text in queries.items()}
    ordered: dict[str, str] = {}
    while len(ordered) < len(queries):
        ready = [name for name in queries if name not in ordered and reads[name] <= set(ordered)]
        if not ready:
            raise ValueError(f"sql/facts: {', '.join(sorted(set(queries) - set(ordered)))} read each other in a circle")
        ordered.update({name: queries[name] for name in ready})
    return ordered


def write_facts(day: Day, clusters: list[str]) -> None:
    """Compute and publish every fact table of the day."""
    sweeps = day.load_raw(clusters)
    print(f"facts of {day.ds}: {len(sweeps)} sweeps of {len({s.cluster for s in sweeps})} clusters", flush=True)
    for damaged in day.damaged:
        print(f"facts of {day.ds}: {damaged.cluster} sweep {damaged.sweep} is not used: {damaged.reason}", flush=True)
    known = {"ds": day.ds, "start_hours": START_HOURS}
    queries = fact_queries(day.sql)
    for table, query in queries.items():
        values = {name: value for name, value in known.items() if f":{name}" in query}
        day.write_fact(table, day.spark.sql(query, args=values))
        print(f"facts of {day.ds}: {table} written", flush=True)
    day.publish_facts(queries)
