"""Two profiles of session settings: takes how many rows a query reads, sets the session to what suits so many.

Most queries of a day are small, on the largest day too. A small query waits for the compiler of its generated code,
for plans that are made anew at every shuffle, and for what a plan's filters imply, longer than these save:
docs/benchmarks.md.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from fleet_spark.frames import no_rows, surely_empty

FEW_ROWS = 50_000  # what one query reads, over all its tables
ROW_BYTES = 512  # a row of more counts as several, since the driver holds what few rows are: 25 MB at most
OF_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    # what may be concluded of one side of a join for the other is found out at every step of planning; it saves reading
    "spark.sql.constraintPropagation.enabled": "false",
}
OF_MANY_ROWS = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.constraintPropagation.enabled": "true",
}
_READS = re.compile(r"\b(?:FROM|JOIN)\s+([a-z_]+)")


def tables_read(query: str) -> set[str]:
    """Names after FROM and JOIN: tables, views, and the query's own WITH names."""
    return set(_READS.findall(query))


def few(rows: int) -> bool:
    """Whether so many rows are few."""
    return rows < FEW_ROWS


def weight(rows: pa.Table) -> int:
    """As how many rows these count: long texts make one count as several."""
    return max(int(rows.num_rows), int(rows.nbytes) // ROW_BYTES)


def apply_profile(spark: SparkSession, rows: int) -> None:
    """Set what a query that reads so many rows is best run with; what was given to the submit stays."""
    given = spark.sparkContext.getConf()
    for key, value in (OF_FEW_ROWS if few(rows) else OF_MANY_ROWS).items():
        if not given.contains(key):
            spark.conf.set(key, value)


class QueryProfiles:
    """The settings of one session over a job's queries, which may be asked for by several threads.

    Settings are the session's, so queries of one profile run together and those of the other wait for them; between
    them the session is set for few rows. rows: of each table or view by name; what is not counted here counts as empty.
    run: how many queries were run; nothing_to_read: how many were not, since no row could come of them.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.rows: dict[str, int] = {}
        self.run = self.nothing_to_read = 0
        self._spark = spark
        self._free = Condition()
        self._running = 0
        self._set(0)

    def _set(self, rows: int) -> None:
        apply_profile(self._spark, rows)
        self._few = few(rows)

    @contextmanager
    def for_query(self, query: str) -> Iterator[bool]:
        """Plan and run the query within: Spark reads its settings when it plans, and again when it plans anew.

        Gives whether it is small: then its result fits into the driver.
        """
        rows = sum(self.rows.get(table, 0) for table in tables_read(query))
        with self._free:
            self._free.wait_for(lambda: self._running == 0 or self._few == few(rows))
            if self._few != few(rows):
                self._set(rows)
            self._running += 1
            self.run += 1
        try:
            yield few(rows)
        finally:
            with self._free:
                self._running -= 1
                try:
                    if self._running == 0 and not self._few:
                        self._set(0)
                finally:  # also where the JVM is gone: who waits has to find that out, and not to wait for ever
                    self._free.notify_all()

    def rows_of(self, frame: DataFrame) -> pa.Table:
        """Every row of a small query, within `for_query`. One of three on a quiet day can give none: it is not run."""
        if not surely_empty(frame):
            return frame.toArrow()
        with self._free:
            self.run, self.nothing_to_read = self.run - 1, self.nothing_to_read + 1
        return no_rows(frame)
