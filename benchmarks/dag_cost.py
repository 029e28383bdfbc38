"""`python -m benchmarks.dag_cost`: what the DAGs cost Airflow itself, without a Kafka cluster or a Spark job.

Prints the parse time of each DAG file beside that of a file with an empty DAG, tasks per run and spark-submits per day
for fleets of several sizes, and what a run of fleet_collect over `--clusters` entries costs a real
`airflow standalone`: peak memory of the scheduler and of all of Airflow, wall time, CPU. The entries are refused ones,
so that a task does all that Airflow asks of it and measures nothing. Ends with 1 when a gate is missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from benchmarks.measure import gate, machine
from support.airflow_runs.airflow_home import AirflowHome

ROOT = Path(__file__).resolve().parents[1]
SUBMITS = 2  # per day, for the whole fleet
EMPTY = "from airflow.sdk import dag\n@dag(dag_id='empty', schedule=None)\ndef empty(): pass\nempty()\n"
PARSE = """
import json, sys, time
from pathlib import Path
from airflow.dag_processing.dagbag import BundleDagBag
began = time.perf_counter()
bag = BundleDagBag(sys.argv[1], bundle_path=Path(sys.argv[1]).parent, bundle_name="parsed")
assert not bag.import_errors and len(bag.dags) == 1, bag.import_errors
(dag,) = bag.dags.values()
kinds = [task.task_type for task in dag.tasks]
mapped = sum(task.is_mapped for task in dag.tasks)
print(json.dumps({"seconds": time.perf_counter() - began, "kinds": kinds, "mapped": mapped}))
"""


def parsed(airflow: AirflowHome, file: Path, rounds: int) -> tuple[float, dict[str, Any]]:
    """Median seconds to parse a DAG file in a fresh process that has imported Airflow, and what is in it."""
    seconds, about = [], {}
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", PARSE, str(file)],
            env=airflow.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        about = json.loads(done.stdout.splitlines()[-1])
        seconds.append(about["seconds"])
    return statistics.median(seconds), about


class Cost(NamedTuple):
    """One run in `airflow standalone`. memory: peak sum of proportional set sizes, MiB."""

    wall: float
    cpu: float
    scheduler: float
    everything: float
    tasks: int


def _role(process: psutil.Process) -> str:
    words = " ".join(process.cmdline())
    return "scheduler" if "scheduler" in words and "dag-processor" not in words else "other"


def run_collect(airflow: AirflowHome, limit: float) -> Cost:
    """Trigger fleet_collect and wait for its end; memory and CPU of all processes are read once a second."""
    peak = {"scheduler": 0.0, "all": 0.0}
    spent: dict[int, float] = {}
    with airflow.standalone() as running:
        airflow.run("dags", "unpause", "fleet_collect")
        airflow.run("dags", "trigger", "fleet_collect", "--run-id", "cost")
        began = time.monotonic()

        def over() -> bool:
            sums = {"scheduler": 0.0, "all": 0.0}
            for process in running.members():
                try:
                    size = process.memory_full_info().pss / 2**20
                    times = process.cpu_times()
                    spent[process.pid] = times.user + times.system
                    sums["all"] += size
                    sums["scheduler"] += size if _role(process) == "scheduler" else 0.0
                except psutil.Error:
                    continue  # a task that has just ended
            for name, value in sums.items():
                peak[name] = max(peak[name], value)
            return any(
                run.run_id == "cost" and run.state in ("success", "failed") for run in airflow.runs("fleet_collect")
            )

        running.wait(over, "the run", limit)
        wall = time.monotonic() - began
    states = airflow.states("cost")
    return Cost(wall, sum(spent.values()), peak["scheduler"], peak["all"], len(states))


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clusters", type=int, default=1000)
    parser.add_argument("--mapped", type=int, action="append", default=[], help="mapped tasks at most (repeatable)")
    parser.add_argument("--parallelism", type=int, default=4)
    parser.add_argument("--limit", type=float, default=3600, help="seconds that a run may take")
    given = parser.parse_args()
    print(machine())
    held = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "parse").mkdir()
        airflow = AirflowHome(Path(folder) / "parse", {"version": 1, "clusters": []})
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY)
        base, _about = parsed(airflow, empty, given.rounds)
        print(f"a file with an empty DAG: {base * 1000:.0f} ms")
        for name in ("fleet_collect", "fleet_health"):
            seconds, about = parsed(airflow, ROOT / f"dags/{name}.py", given.rounds)
            submits = sum("SparkSubmit" in kind for kind in about["kinds"])
            sizes = []
            for clusters in (6, 100, 1000):
                mapped = min(clusters, 100)
                sizes.append(
                    f"{len(about['kinds']) - about['mapped'] + about['mapped'] * mapped} at {clusters} clusters"
                )
            print(
                f"{name}: parsed in {seconds * 1000:.0f} ms; tasks per run: {', '.join(sizes)}; {submits} spark-submits"
            )
            if submits:
                held.append(gate("spark-submits per day", submits, SUBMITS))
        for mapped in given.mapped or [100]:
            entries = [{"id": f"refused-{number:04d}", "environment": "nowhere"} for number in range(given.clusters)]
            (Path(folder) / f"run{mapped}").mkdir()
            home = AirflowHome(Path(folder) / f"run{mapped}", {"version": 1, "clusters": entries})
            home.environment |= {
                "KAFKA_FLEET_MAPPED_TASKS": str(mapped),
                "AIRFLOW__CORE__PARALLELISM": str(given.parallelism),
                "AIRFLOW__CORE__MAX_MAP_LENGTH": str(max(1024, mapped)),
            }
            home.run("dags", "reserialize")
            cost = run_collect(home, given.limit)
            print(f"{given.clusters} clusters in at most {mapped} mapped tasks ({cost.tasks} rows): ", end="")
            print(
                f"{cost.wall:.0f} s wall, {cost.cpu:.0f} s CPU; peak memory {cost.scheduler:.0f} MiB scheduler, ",
                end="",
            )
            print(f"{cost.everything:.0f} MiB in all")
    return int(not all(held))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
