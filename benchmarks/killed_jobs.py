"""`python -m benchmarks.killed_jobs`: a day's spark-submit killed with SIGKILL at many moments, and run again.

Real sweeps recorded from brokers, real jobs with their JVM. The day is published already by a run of one signature; the
killed run would replace it by all of them. What is killed is in turn the JVM, Python's driver, or both. After each kill
readers must find each stage as it was before, or whole as the killed run published it; the same job of the same
generation, as a scheduler's retry, must end in what a run without a kill gave. Ends with 1 when one of this does not
hold.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import psutil

from benchmarks.measure import gate, machine
from fleet_spark.parquet import read_footer
from kafka_fleet.base.driver_jvm import SMALL_DAY_JVM
from kafka_fleet.base.resources import spark_application, sql_dir
from kafka_fleet.store.generations import claim_generation, current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import POINTER
from support.homes.recorded import recorded_day, write_home
from support.homes.stored_days import published

CLUSTERS = ["follower331", "idle331"]
OLD, NEW = "g0001", "g0002"
LARGE = Path(__file__).resolve().parents[1] / "tests/support/spark_runs/large_submit.py"
COMMITTER = "Spark's committer writes"
GONE_S = 60.0  # within which whatever a killed process leaves running has to end by itself
LOOK_S = 0.5  # between two looks at who belongs to a job: each reads all processes of the machine
# a line that a job prints, and in words what it has done by then
MOMENTS = {
    "end": (r"^judge .*: \d+ findings of", "all is published, the job has not ended"),
    "judge": (r"^judge .*: idle331: ", "all is judged, nothing of it is written"),
    "facts": (r"^facts of .*: broker_intervals: ", "facts are being written"),
    "signatures": (r"^facts of .*: \w+: ", "the last fact table is written; a second later signatures run"),
}


class Killed(NamedTuple):
    """A run that was to be killed. ended: it was faster than that, with this exit code. seconds: how long it ran."""

    ended: bool
    code: int
    seconds: float
    lines: list[str]


def command(
    home: Path, generation: str, *more: str, application: Path | None = None, settings: Sequence[str] = (),
    job: str = "analyze",
) -> list[str]:  # fmt: skip
    """The job as `kafka-fleet analyze` starts it, unless another one, another application or settings are given."""
    beside = Path(sys.executable).parent
    arguments = [job, "--home", str(home), "--ds", recorded_day(), "--generation", generation]
    return [str(beside / "spark-submit"), "--master", "local[*]", *settings, str(application or spark_application()),
            *arguments, "--sql", str(sql_dir()), *more]  # fmt: skip


def run(arguments: Sequence[str], kill: Callable[[subprocess.Popen[str], list[str]], bool] | None = None) -> Killed:
    """Run a job; `kill` is asked some times a second, with the lines printed so far, whether it has killed it."""
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable,
                   "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SUBMIT_OPTS": SMALL_DAY_JVM}  # fmt: skip
    lines: list[str] = []
    began = time.monotonic()
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True
    ) as job:
        family = [psutil.Process(job.pid)]
        reader = Thread(target=lambda: lines.extend(iter(job.stdout.readline, "")) if job.stdout else None)
        reader.start()
        done, asked = False, 0.0
        while job.poll() is None and not done:
            if time.monotonic() - asked > LOOK_S:
                family[1:], asked = family[0].children(recursive=True), time.monotonic()
            done = kill is not None and kill(job, lines)
            time.sleep(0.02)
        _gone, alive = psutil.wait_procs(family[1:], GONE_S if done else 5)
        for one in alive:
            one.kill()
        code = job.wait()
        reader.join()
    if alive and done:
        raise SystemExit(f"{len(alive)} processes of a killed job ran on for {GONE_S:g} s")
    if kill is None and code != 0:
        raise SystemExit("a job failed that nobody killed:\n" + "".join(lines[-30:]))
    return Killed(not done, code, time.monotonic() - began, lines)


def strike(job: subprocess.Popen[str], whom: str) -> None:
    """Kill the JVM, which is the process that was started, the Python below it, or both with all they started."""
    if whom == "both":
        os.killpg(job.pid, signal.SIGKILL)
    elif whom == "JVM":
        os.kill(job.pid, signal.SIGKILL)
    else:
        for one in psutil.Process(job.pid).children():
            one.kill()


def on_their_way(home: Path) -> list[Path]:
    """Folders in which Spark's committer has of the killed run's generation what is not committed."""
    return list(Home(home).stage("facts").glob(f"*/*/{NEW}/_temporary"))


def strike_while_spark_writes(job: subprocess.Popen[str], home: Path) -> bool:
    """Kill the JVM alone, if its committer writes a table at this moment."""
    if not on_their_way(home):
        return False
    job.send_signal(signal.SIGSTOP)  # so that it does not commit between the look and the kill
    writes = bool(on_their_way(home))
    if writes:
        strike(job, "JVM")
    else:
        job.send_signal(signal.SIGCONT)
    return writes


def stages(home: Path) -> dict[str, Any]:
    """Each stage as its readers find it: bytes of findings and signatures, rows of each fact table."""
    ds = recorded_day()
    found: dict[str, Any] = {stage: published(home, stage, ds) for stage in ("findings", "signatures")}
    for folder in (one for one in Home(home).day(ds).all_facts() if (one / POINTER).exists()):
        rows = read_footer(folder / str(current_generation(folder))).read().to_pylist()
        found[str(folder.parent.relative_to(home))] = sorted(
            json.dumps(row, default=str, sort_keys=True) for row in rows
        )
    return found


def main() -> int:
    """Kill, compare, run again, compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.killed_jobs", description=__doc__)
    parser.add_argument("--kills", type=int, default=9, help="at evenly spaced seconds of the job, besides the moments")
    parser.add_argument("--signatures", help="that the killed run judges by, with commas between them; default all")
    parser.add_argument("--large", action="store_true", help="let Spark's committer write facts, as on large days")
    options = parser.parse_args()
    application = LARGE if options.large else None
    wide = ["--signatures", options.signatures] if options.signatures else []
    print(machine())
    with tempfile.TemporaryDirectory(prefix="killed-") as folder:
        template, whole = Path(folder, "template"), Path(folder, "whole")
        write_home(template, CLUSTERS)
        claim_generation(template, recorded_day())
        run(command(template, OLD, "--signatures", "fetch_latency"))
        claim_generation(template, recorded_day())
        shutil.copytree(template, whole)
        untouched = run(command(whole, NEW, *wide, application=application))
        old, new = stages(template), stages(whole)
        last = [line for line in untouched.lines if line.startswith("facts of ")][-1].split(": ")[1]
        print(f"  a job takes {untouched.seconds:.0f} s; {len(new)} stages and tables, {last} is the last of the facts")
        wrong = kills = early = 0
        step = untouched.seconds / (options.kills + 1)
        steps: list[tuple[str, str | None, int]] = [(f"second {step * n:.1f}", None, n) for n in
                                                    range(1, options.kills + 1)]  # fmt: skip
        steps += [(name, pattern, 0) for name, (pattern, _words) in MOMENTS.items()]
        steps += [(COMMITTER, None, 0)] if options.large else []
        for number, (name, pattern, part) in enumerate(steps):
            whom = "JVM" if name == COMMITTER else ("both", "JVM", "Python")[number % 3]
            home = shutil.copytree(template, Path(folder, "home"))
            wanted = re.compile(pattern.replace(r"\w+", last) if pattern else "^$")
            due = time.monotonic() + step * part

            def kill(job: subprocess.Popen[str], lines: list[str], wanted: re.Pattern[str] = wanted,
                     by_line: bool = pattern is not None, due: float = due, whom: str = whom,
                     name: str = name, home: Path = home) -> bool:  # fmt: skip
                if name == COMMITTER:
                    return strike_while_spark_writes(job, home)
                reached = any(wanted.match(line) for line in lines) if by_line else time.monotonic() >= due
                if reached:
                    time.sleep(1.0 if name == "signatures" else 0.0)
                    strike(job, whom)
                return reached

            killed = run(command(home, NEW, *wide, application=application), kill)
            kills, early = kills + 1, early + killed.ended
            left = stages(home)
            mixed = [stage for stage in left if left[stage] not in (old.get(stage), new.get(stage))]
            lost = sorted(set(old) - set(left))
            run(command(home, NEW, *wide, application=application))
            healed = stages(home) == new
            strays = [str(path.relative_to(home)) for path in home.rglob("_temporary")]
            wrong += bool(mixed or lost or strays) + (not healed)
            moved = sum(left.get(stage) == new[stage] != old.get(stage) for stage in new)
            print(f"  {name}, {whom}: {'not killed, it had ended' if killed.ended else f'{moved} stages were new'}; "
                  f"mixed: {mixed or 'none'}; healed: {healed}", flush=True)  # fmt: skip
            shutil.rmtree(home)
        print(f"  {kills} jobs, {early} of them had ended before their kill")
        return int(not gate("kills after which something was mixed, lost or not healed", wrong, 0))


if __name__ == "__main__":
    sys.exit(main())
