"""The file handed to spark-submit: parses its arguments, runs one job, lets exceptions out so that the submit fails.

spark-submit spark/submit.py facts --home H --ds D --generation G --sql DIR [--clusters a,b] [--signatures x,y]
spark-submit spark/submit.py judge --home H --ds D --generation G --sql DIR [--fleet F] [--signatures x,y] ...
spark-submit spark/submit.py analyze ...      both in one session, for the command line
"""

import argparse
import sys
from pathlib import Path


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def main(arguments: list[str]) -> None:
    """Run the job that the first argument names."""
    parser = argparse.ArgumentParser(prog="submit.py")
    parser.add_argument("job", choices=["facts", "judge", "analyze"])
    parser.add_argument("--home", required=True, type=Path)
    parser.add_argument("--ds", required=True)
    parser.add_argument("--generation", required=True)
    parser.add_argument("--sql", required=True, type=Path)
    parser.add_argument("--fleet", type=Path)
    parser.add_argument("--clusters", type=_names, default=[])
    parser.add_argument("--signatures", type=_names, default=[])
    options = parser.parse_args(arguments)

    from fleet_spark.facts import write_facts
    from fleet_spark.judge import tables_needed, write_findings
    from fleet_spark.session import session
    from fleet_spark.tables import Day

    with session(f"kafka-fleet {options.job} {options.ds}") as spark:
        day = Day(spark, options.home, options.ds, options.generation, options.sql)
        if options.job in ("facts", "analyze"):
            write_facts(day, options.clusters, tables_needed(day.sql, options.signatures))
        if options.job in ("judge", "analyze"):
            write_findings(day, options.fleet, options.clusters, options.signatures)


if __name__ == "__main__":
    main(sys.argv[1:])
