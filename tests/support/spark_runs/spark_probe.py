"""Handed to spark-submit: begins a session as the jobs do, says what it is set to, and runs tasks that only wait.

spark-submit spark_probe.py TASKS[,TASKS...] MILLISECONDS SECONDS [HOME...]

Jobs of so many tasks, each so long; after each the number is printed. SECONDS is a limit for executors that begins once
Spark has started, which takes long on a busy machine; 0: none but the session's. The executors are asked for the homes'
folders first.
"""

import json
import sys
from pathlib import Path

from pyspark.core.context import SparkContext

import fleet_spark.session
from fleet_spark.executors import ExecutorWatch
from fleet_spark.shared_home import check_shared

SHOWN = ("spark.sql.shuffle.partitions", "spark.sql.session.timeZone", "spark.ui.enabled", "spark.driver.host",
         "spark.driver.bindAddress")  # fmt: skip


class Watch(ExecutorWatch):
    """The session's own, with another limit once Spark has started."""

    def started(self, context: SparkContext) -> None:
        self._seconds = float(sys.argv[3]) or self._seconds
        super().started(context)


if __name__ == "__main__":
    jobs, milliseconds = map(int, sys.argv[1].split(",")), int(sys.argv[2])
    fleet_spark.session.ExecutorWatch = Watch
    with fleet_spark.session.session("probe") as spark:
        conf = spark.sparkContext.getConf()
        print(f"settings {json.dumps({name: conf.get(name) for name in SHOWN})}", flush=True)
        for home in sys.argv[4:]:
            check_shared(spark, Path(home))
            print(f"all have {home}", flush=True)
        for tasks in jobs:
            slept = f"coalesce(reflect('java.lang.Thread', 'sleep', {milliseconds}L), '') <> 'never'"
            rows = spark.range(tasks, numPartitions=tasks).where(slept).count()
            print(f"done {rows}", flush=True)
        print("left", flush=True)
