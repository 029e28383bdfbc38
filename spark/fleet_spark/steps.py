"""Steps of signatures: takes the query of one, gives its rows as a table that every later query reads."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col

from fleet_spark.frames import counted_frame, empty_frame, local_frame
from fleet_spark.query_profiles import QueryProfiles, weight


class Step(NamedTuple):
    """A step of a signature, for the clusters that it was run for."""

    frame: DataFrame
    clusters: Sequence[str]
    rows: int

    def of(self, clusters: Sequence[str]) -> DataFrame:
        """The rows of these clusters; a step may have rows of others, of which they are not meant."""
        own, frame = sorted(set(self.clusters) & set(clusters)), self.frame
        return frame.where(col("cluster").isin(own)) if own else empty_frame(frame.sparkSession, frame.schema)


class Computed(NamedTuple):
    """A step that was computed, and how many rows it has. held: those rows, where they are few."""

    frame: DataFrame
    rows: int
    held: pa.Table | None

    def all_rows(self) -> list[dict[str, Any]]:
        """Every row."""
        found: list[dict[str, Any]] = (self.frame.toArrow() if self.held is None else self.held).to_pylist()
        return found


def compute_step(spark: SparkSession, query: str, profiles: QueryProfiles) -> Computed:
    """A step computed once, which every later step and all queries read.

    As mere views the steps of fetch_latency grow into one plan that takes three times as long.
    """
    with profiles.for_query(query) as small:
        frame = spark.sql(query)
        if small:
            found = profiles.rows_of(frame)
            return Computed(local_frame(spark, found, frame.schema), weight(found), found)
        counted, count = counted_frame(frame)
        kept = counted.localCheckpoint(eager=True, storageLevel=StorageLevel.DISK_ONLY)  # the heap is for queries
        rows = int(count.get["rows"])
        return Computed(kept if rows else empty_frame(spark, frame.schema), rows, None)
