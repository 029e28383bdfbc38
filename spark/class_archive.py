"""Handed to spark-submit when an installation is made: loads the classes that a day's queries load.

With `-XX:ArchiveClassesAtExit=FILE` (class data sharing, JEP 350) the JVM leaves them in a file; a JVM that is started
with `-XX:SharedArchiveFile=FILE` finds them there instead of in 300 jars. The queries have no other purpose.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from fleet_spark.frames import local_frame
from fleet_spark.query_profiles import apply_profile
from fleet_spark.session import session

QUERIES = (
    "SELECT id, id % 7 AS k, cast(id AS STRING) AS t, timestamp_millis(id) AS at, array(id, 1) AS a FROM range(1000)",
    "SELECT k, count(*) AS n, try_sum(id) AS s, max_by(t, at) AS last, percentile(id, 0.5) AS m FROM one GROUP BY k",
    "SELECT *, lag(id) OVER (PARTITION BY k ORDER BY at) AS before, row_number() OVER (ORDER BY id) AS r FROM one",
    "SELECT o.k, count(DISTINCT o.t) AS d FROM one AS o INNER JOIN one AS p ON o.id = p.id GROUP BY o.k",
    "SELECT o.id FROM one AS o LEFT ANTI JOIN (SELECT id FROM one WHERE k = 3) AS p ON o.id = p.id",
    "SELECT k, explode(split(concat(t, ',', k), ',')) AS part FROM one UNION ALL SELECT DISTINCT k, t FROM one",
    "SELECT transform(sort_array(collect_set(t)), x -> concat(x, '!')) AS all FROM one GROUP BY k",
)


def warm(spark: SparkSession, folder: str) -> None:
    """Run each query in both ways of running one, over rows of a file and over rows that the driver holds."""
    for rows in (0, 10**9):
        apply_profile(spark, rows)
        written = f"{folder}/{rows}"
        made = spark.sql(QUERIES[0])
        made.write.parquet(written)
        for frame in (spark.read.parquet(written), local_frame(spark, made.toArrow(), made.schema)):
            frame.createOrReplaceTempView("one")
            for query in QUERIES[1:]:
                spark.sql(query).toArrow()


if __name__ == "__main__":
    with TemporaryDirectory() as folder, session("kafka-fleet class archive") as spark:
        warm(spark, str(Path(folder)))
