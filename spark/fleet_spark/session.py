"""One Spark session per job: gives a session whose results do not depend on where or on how many cores it runs."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from pyspark.conf import SparkConf
from pyspark.core.context import SparkContext
from pyspark.sql import SparkSession

from fleet_spark.executors import ExecutorWatch, wait_seconds
from kafka_fleet.store.bucket import hadoop_settings

# what a result may depend on is fixed here; master, memory and executors come from spark-submit
FIXED = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.sources.partitionOverwriteMode": "static",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
# what a submit may override: sized for one machine, harmless on a cluster
DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ui.explainMode": "simple",  # each query's plan as text is made for the page and the log of events alone
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",  # sizes of small files: no job for that
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.files.openCostInBytes": "131072",
    # each sort and aggregation takes a page at least: of 16 MB, Spark's choice for a driver of 1 GB, a small day's many
    # go straight to the old generation and fill it ten times; of 1 MB a task still has 8 GB
    "spark.buffer.pageSize": "1m",
    # metadata repeats from sweep to sweep: 20 million rows of topics are 7 MB of files, and are not to be broadcast
    "spark.sql.sources.fileCompressionFactor": "50",
}
# where a local master's driver is to be found
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


@contextmanager
def session(name: str) -> Iterator[SparkSession]:
    """A session for the length of the block. Settings given to spark-submit win over DEFAULTS, not over FIXED.

    On a cluster, raises SystemExit with a sentence when it does not start or gives no executor (fleet_spark.executors).
    """
    os.environ["TZ"] = "UTC"  # rows that come to Python have times of this process' zone, and do not say so
    time.tzset()
    # without a JVM a SparkConf is empty, whatever spark-submit was told; pyspark's own shell begins with this, too
    SparkContext._ensure_initialized()
    given = dict(SparkConf().getAll())
    master = given.get("spark.master", "local")
    builder = SparkSession.builder.appName(name)
    for key, value in settings(given, os.environ).items():
        builder = builder.config(key, value)
    watch: AbstractContextManager[ExecutorWatch | None] = nullcontext()
    if not master.startswith("local"):
        watch = ExecutorWatch(master, wait_seconds(os.environ))
    with ExitStack() as at_end, watch as executors:
        spark = builder.getOrCreate()
        at_end.callback(lambda: None if executors is not None and executors.ended else spark.stop())
        spark.sparkContext.setLogLevel("WARN")
        if executors is not None:
            executors.started(spark.sparkContext)
        yield spark


def settings(given: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """What a session sets besides what was given to spark-submit (command line, spark-defaults.conf).

    On a local master nobody else has to reach the driver, so it is on loopback unless another place is given. On a
    cluster Spark's own choice stays: spark.driver.host, SPARK_LOCAL_HOSTNAME, SPARK_LOCAL_IP, or the host's own name.
    """
    local = given.get("spark.master", "local").startswith("local")
    place = LOOPBACK if local and not LOOPBACK.keys() & given.keys() else {}
    defaults = DEFAULTS | place | hadoop_settings(environment)
    return {key: value for key, value in defaults.items() if key not in given} | FIXED
