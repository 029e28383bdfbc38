"""One Spark session per job: gives a session whose results do not depend on where or on how many cores it runs."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.conf import SparkConf
from pyspark.core.context import SparkContext
from pyspark.sql import SparkSession

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


@contextmanager
def session(name: str) -> Iterator[SparkSession]:
    """A session for the length of the block. Settings given to spark-submit win over DEFAULTS, not over FIXED."""
    os.environ["TZ"] = "UTC"  # rows that come to Python have times of this process' zone, and do not say so
    time.tzset()
    SparkContext._ensure_initialized()  # without a JVM a SparkConf is empty, whatever spark-submit was told
    given = dict(SparkConf().getAll())
    builder = SparkSession.builder.appName(name)
    if given.get("spark.master", "local").startswith("local"):
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    defaults = DEFAULTS | hadoop_settings(os.environ)
    for key, value in ({key: value for key, value in defaults.items() if key not in given} | FIXED).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    try:
        yield spark
    finally:
        spark.stop()
