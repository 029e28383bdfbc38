"""Handed to spark-submit: begins a session as the jobs do, says what it is set to, and runs tasks that only wait.

spark-submit spark_probe.py TASKS MILLISECONDS      so many tasks, each so long; then their number is printed
"""

import json
import sys

from fleet_spark.session import session

SHOWN = ("spark.sql.shuffle.partitions", "spark.sql.session.timeZone", "spark.ui.enabled", "spark.driver.host",
         "spark.driver.bindAddress")  # fmt: skip

if __name__ == "__main__":
    tasks, milliseconds = map(int, sys.argv[1:])
    with session("probe") as spark:
        conf = spark.sparkContext.getConf()
        print(f"settings {json.dumps({name: conf.get(name) for name in SHOWN})}", flush=True)
        if tasks:
            slept = f"CASE WHEN reflect('java.lang.Thread', 'sleep', {milliseconds}L) IS NULL THEN id ELSE id END"
            rows = spark.range(tasks, numPartitions=tasks).selectExpr(f"count({slept}) AS n").first()
            print(f"done {rows['n']}", flush=True)
        print("left", flush=True)
