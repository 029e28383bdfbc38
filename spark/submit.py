"""The file handed to spark-submit: parses its arguments, runs one job, lets exceptions out so that the submit fails.

spark-submit spark/submit.py facts --home H --ds D --generation G [--sql DIR] [--clusters a,b] [--signatures x,y]
spark-submit spark/submit.py judge --home H --ds D --generation G [--sql DIR] [--fleet F] [--signatures x,y] ...
spark-submit spark/submit.py analyze ...      both in one session, for the command line
spark-submit spark/submit.py replay --home H --results R --days D,D,... [--sql DIR] [--fleet F] [--signatures x,y]

On a cluster the code and the SQL come with the job (`--py-files kafka-fleet-<digest>.zip`, see
kafka_fleet.base.spark_bundle).
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _unpack(folder: str) -> None:
    """Find what was shipped as a zip in a folder instead: the library reads its rules and its SQL as files."""
    for place in [place for place in sys.path if Path(place).name.startswith("kafka-fleet-") and Path(place).is_file()]:
        with ZipFile(place) as shipped:
            shipped.extractall(folder)
        sys.path.insert(0, folder)
        print(f"code and SQL of {Path(place).name}", flush=True)


def main(arguments: list[str]) -> None:
    """Run the job that the first argument names."""
    parser = argparse.ArgumentParser(prog="submit.py")
    parser.add_argument("job", choices=["facts", "judge", "analyze", "replay"])
    parser.add_argument("--home", required=True)
    parser.add_argument("--ds")
    parser.add_argument("--generation")
    parser.add_argument("--results", help="where a replay writes")
    parser.add_argument("--days", type=_names, default=[])
    parser.add_argument("--sql", type=Path)
    parser.add_argument("--fleet", type=Path)
    parser.add_argument("--clusters", type=_names, default=[])
    parser.add_argument("--signatures", type=_names, default=[])
    parser.add_argument("--knowledge", help="the pack to judge by: builtin, a version, or a folder")
    options = parser.parse_args(arguments)
    needed = ("results", "days") if options.job == "replay" else ("ds", "generation")
    if absent := [name for name in needed if not getattr(options, name)]:
        parser.error(f"{options.job} needs {' and '.join(f'--{name}' for name in absent)}")

    from fleet_spark.facts import write_facts
    from fleet_spark.judge import tables_needed, write_findings
    from fleet_spark.replay import replay
    from fleet_spark.session import session
    from fleet_spark.shared_home import check_shared
    from fleet_spark.tables import Day
    from kafka_fleet.base.resources import sql_dir
    from kafka_fleet.store.bucket import open_home
    from kafka_fleet.store.generations import Overtaken, Unchangeable
    from kafka_fleet.store.knowledge_packs import use_named

    home, sql = open_home(options.home), options.sql or sql_dir()
    print(f"knowledge {use_named(home, options.knowledge)}", flush=True)
    with session(f"kafka-fleet {options.job} {options.ds or options.results}") as spark:
        check_shared(spark, home)
        if options.job == "replay":
            results = open_home(options.results)
            check_shared(spark, results)
            failed = replay(spark, home, results, options.days, sql, options.fleet, options.signatures)
            if failed:
                raise SystemExit(f"replay: not judged: {'; '.join(f'{ds} ({why})' for ds, why in failed.items())}")
            return
        day = Day(spark, home, options.ds, options.generation, sql)
        try:
            if options.job == "facts" or (options.job == "analyze" and not day.judged):  # a retry finds whole facts
                write_facts(day, options.clusters, tables_needed(day.sql, options.signatures))
            if options.job in ("judge", "analyze"):
                write_findings(day, options.fleet, options.clusters, options.signatures)
        except (Overtaken, Unchangeable) as error:  # nothing is broken: the sentence says it all
            raise SystemExit(f"{options.job} of {options.ds}: {error}") from None


if __name__ == "__main__":
    with TemporaryDirectory(prefix="kafka-fleet-") as folder:
        _unpack(folder)
        main(sys.argv[1:])
