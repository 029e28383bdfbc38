"""`python -m benchmarks.spark_hosts`: a recorded day judged on a Spark cluster of hosts, compared with one machine's.

Master, two workers and driver are hosts of their own (network namespaces with an address each, no way but between
them), with spark.authenticate and encryption on. The home is a folder that all have, one file system here; the same day
in a bucket is in tests/integration/spark_cluster/test_spark_cluster.py. Needs root and `ip`. Ends with 1 when the
published files differ, when not both workers finished tasks, or when the driver finished one.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.measure import figure, gate, machine
from kafka_fleet.base.driver_jvm import SMALL_DAY_JVM
from kafka_fleet.base.resources import spark_application, sql_dir
from support.homes.recorded import recorded_day, write_home
from support.homes.stored_days import published
from support.spark_runs.network_hosts import Host, network_hosts, no_hosts
from support.spark_runs.spark_cluster import Cluster, spark_cluster

CLUSTERS = ["follower331", "follower332", "idle331"]


def judged(home: Path, master: str, host: Host, more: dict[str, str]) -> float:
    """Store the day in a new home and judge it by one submit on a host; gives its seconds."""
    write_home(home, CLUSTERS)
    command = [str(Path(sys.executable).with_name("spark-submit")), "--master", master, str(spark_application())]
    job = {"--home": home, "--ds": recorded_day(), "--generation": "g0001", "--sql": sql_dir()}
    command += ["analyze", *(str(word) for pair in job.items() for word in pair)]
    python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    environment = {**os.environ, **python, "SPARK_LOCAL_IP": host.address, "SPARK_SUBMIT_OPTS": SMALL_DAY_JVM, **more}
    began = time.monotonic()
    done = subprocess.run(
        host.runs(command), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"the day could not be judged on {master}:\n{done.stdout[-4000:]}")
    return time.monotonic() - began


def results(home: Path) -> dict[str, bytes]:
    """What was published of the day."""
    return {f"{stage}/{path}": content for stage in ("findings", "signatures")
            for path, content in published(home, stage, recorded_day()).items()}  # fmt: skip


def ran_on(cluster: Cluster) -> list[str]:
    """Address of the host of every finished task, by Spark's own record."""
    return [one["Task Info"]["Host"] for one in cluster.recorded() if one["Event"] == "SparkListenerTaskEnd"]


def main() -> int:
    """Entry point."""
    if reason := no_hosts():
        raise SystemExit(f"hosts cannot be had here: {reason}")
    print(machine(), flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fleet-hosts-")))
        here = judged(folder / "here", "local[*]", Host(), {})
        master, *workers, driver = stack.enter_context(network_hosts("master", "worker1", "worker2", "driver"))
        made = spark_cluster(folder, folder / "settings", master, workers, "of-the-benchmark")
        cluster = stack.enter_context(made)
        settings = {"SPARK_CONF_DIR": str(cluster.settings)}
        there = judged(folder / "there", cluster.url, driver, settings)
        tasks, one, many = ran_on(cluster), results(folder / "here"), results(folder / "there")
    differ = [name for name in one.keys() | many.keys() if one.get(name) != many.get(name)]
    figure(f"{len(CLUSTERS)} clusters judged on one machine", f"{here:.0f} s")
    figure("the same on master, two workers and driver", f"{there:.0f} s")
    figure("published files", len(one))
    for host in workers:
        figure(f"tasks that the worker {host.address} finished", tasks.count(host.address))
    held = [
        gate("published files that differ from one machine's", len(differ), 0),
        gate("workers without a finished task", sum(host.address not in tasks for host in workers), 0),
        gate("tasks that no worker finished", sum(task not in {host.address for host in workers} for task in tasks), 0),
    ]
    return 0 if one and all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
