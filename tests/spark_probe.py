"""Handed to spark-submit: begins a session as the jobs do, says what it is set to, and runs tasks that only wait.

spark-submit spark_probe.py TASKS MILLISECONDS SECONDS [HOME...]

So many tasks, each so long; then their number is printed. SECONDS is a limit for executors that begins once Spark has
started, which takes long on a busy machine; 0: none but the session's. The executors are asked for the homes' folders.
"""

import json
import sys
from contextlib import ExitStack
from pathlib import Path

from fleet_spark.executors import ExecutorWatch
from fleet_spark.session import session
from fleet_spark.shared_home import check_shared

SHOWN = ("spark.sql.shuffle.partitions", "spark.sql.session.timeZone", "spark.ui.enabled", "spark.driver.host",
         "spark.driver.bindAddress")  # fmt: skip

if __name__ == "__main__":
    tasks, milliseconds, seconds = map(int, sys.argv[1:4])
    with session("probe") as spark, ExitStack() as stack:
        conf = spark.sparkContext.getConf()
        print(f"settings {json.dumps({name: conf.get(name) for name in SHOWN})}", flush=True)
        if seconds:
            stack.enter_context(ExecutorWatch(spark.sparkContext.master, seconds)).started(spark.sparkContext)
        for home in sys.argv[4:]:
            check_shared(spark, Path(home))
            print(f"all have {home}", flush=True)
        if tasks:
            slept = f"coalesce(reflect('java.lang.Thread', 'sleep', {milliseconds}L), '') <> 'never'"
            rows = spark.range(tasks, numPartitions=tasks).where(slept).count()
            print(f"done {rows}", flush=True)
        print("left", flush=True)
