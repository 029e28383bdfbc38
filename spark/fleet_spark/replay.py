"""Stored days judged anew by today's rules: takes days of a home, writes their judgements to a folder of their own.

    <home>/replays/r0001/findings/ds=D/g0001/...     as a home has them; what is published of the day stays as it is

Facts are computed anew too, since a changed signature may rest on changed facts, and are thrown away after each day.
"""

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from fleet_spark.facts import write_facts
from fleet_spark.judge import tables_needed, write_findings
from fleet_spark.tables import Day
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home

GENERATION = "g0001"  # a replay judges each day once


def replay(
    spark: SparkSession,
    home: Path,
    results: Path,
    days: Sequence[str],
    sql: Path,
    fleet: Path | None,
    signatures: list[str],
) -> dict[str, str]:
    """Judge each day below `results`; gives the days that could not be, with the reason.

    A day that is there already is not judged again, so that a replay that was cut short goes on where it was.
    """
    failed: dict[str, str] = {}
    for ds in days:
        if current_generation(Home(results).day(ds).findings) is not None:
            print(f"replay {ds}: judged already", flush=True)
            continue
        day = Day(spark, home, ds, GENERATION, sql, results)
        try:
            write_facts(day, [], tables_needed(sql, signatures))
            write_findings(day, fleet, [], signatures)
        except Exception as error:  # it is told, fails the job at its end, and costs no other day its judgement
            failed[ds] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no reason given'}"
            print(f"replay {ds}: failed: {failed[ds]}", flush=True)
        finally:
            for folder in Home(results).day(ds).all_facts():
                for path in (folder / GENERATION).glob("*"):
                    path.unlink()
    return failed
