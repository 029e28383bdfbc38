"""A home on a disk, and executors on other hosts: says so before anything is read when one of them lacks the folder.

Without this an executor that has no such folder fails in the middle of a query, as if the day's files were damaged, and
one that has another folder of the same path writes where nobody looks.
"""

from pathlib import Path
from uuid import uuid4

from pyspark.sql import SparkSession

from kafka_fleet.store.bucket import is_bucket_path

_TIMES = 4  # reads per core: each executor that is there gets some
_SPLIT = "spark.sql.files.maxPartitionBytes"


def check_shared(spark: SparkSession, home: Path) -> None:
    """Have the executors read one new file of the home. Raises SystemExit with a sentence when not all of them can.

    Nothing is asked of a home in a bucket, nor on a local master. Executors that come later are not seen here.
    """
    context = spark.sparkContext
    if is_bucket_path(home) or (context.master or "local").startswith("local"):
        return
    before = str(spark.conf.get(_SPLIT))
    line, times = f"{uuid4().hex}\n", _TIMES * context.defaultParallelism
    home.mkdir(parents=True, exist_ok=True)
    probe = home.resolve() / f"spark-{line.strip()}.txt"
    try:
        probe.write_text(line * times)
        spark.conf.set(_SPLIT, len(line))  # a task per line
        # a read that fails would be tried again on another executor, and pass there; no file is no row
        rows = spark.read.option("ignoreMissingFiles", "true").text(probe.as_uri())
        found = rows.where(f"value = '{line.strip()}'").count()
        spark.conf.set(_SPLIT, before)
    finally:
        probe.unlink(missing_ok=True)
    if found < times:
        raise SystemExit(
            f"{home} is a folder of the driver's host that not every executor of {context.master} has: "
            f"{found} of {times} reads found it. Mount it under this path on all hosts, or keep the home in a bucket."
        )
