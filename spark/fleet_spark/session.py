"""One Spark session per job: gives a session whose results do not depend on where or on how many cores it runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

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
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.files.openCostInBytes": "131072",
}


@contextmanager
def session(name: str) -> Iterator[SparkSession]:
    """A session for the length of the block. Settings given to spark-submit win over DEFAULTS, not over FIXED."""
    builder = SparkSession.builder.appName(name)
    for key, value in FIXED.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    given = dict(spark.sparkContext.getConf().getAll())
    for key, value in DEFAULTS.items():
        if key not in given and key.startswith("spark.sql."):
            spark.conf.set(key, value)
    spark.sparkContext.setLogLevel("WARN")
    try:
        yield spark
    finally:
        spark.stop()
