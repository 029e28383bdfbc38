"""What every signature needed of the day: runs the needs of all signatures as one query, gives coverage per cluster.

The needs read fact tables, steps that the signatures have left, and a table of each signature's thresholds by cluster,
so that they run once whatever clusters override.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

from fleet_spark.aside import Aside, Task
from fleet_spark.failures import running
from fleet_spark.frames import in_driver, nothing
from fleet_spark.ways import Ways, tables_read
from kafka_fleet.knowledge.needs import Asked, Coverage, coverage
from kafka_fleet.knowledge.signatures import Signature

Values = Mapping[str, Mapping[str, float]]  # cluster -> threshold -> value in force, of one signature


class Step(NamedTuple):
    """A step of a signature as one run of it left it, for the clusters that it was run for."""

    frame: DataFrame
    clusters: Sequence[str]
    rows: int

    def of(self, clusters: Sequence[str]) -> DataFrame:
        """The rows of these clusters; a step may have rows of others, of which they are not meant."""
        own, frame = sorted(set(self.clusters) & set(clusters)), self.frame
        return frame.where(col("cluster").isin(own)) if own else nothing(frame.sparkSession, frame.schema)


def thresholds_view(signature: Signature) -> str:
    """Name of the table of a signature's thresholds: `cluster`, and a column for each."""
    return f"{signature.id}_thresholds"


def thresholds_table(signature: Signature, values: Values) -> pa.Table:
    """The thresholds in force, one row per cluster."""
    columns = {"cluster": pa.array(list(values), pa.string())}
    columns |= {n: pa.array([own[n] for own in values.values()], pa.float64()) for n in signature.thresholds}
    return pa.table(columns)


def run_coverage(
    spark: SparkSession,
    signatures: Sequence[Signature],
    values: Mapping[str, Values],
    steps: Mapping[str, Sequence[Step]],
    ways: Ways,
    aside: Aside,
) -> dict[str, dict[str, Coverage]]:
    """Signature -> cluster -> coverage. values: by signature; steps: by view, one for each set of thresholds.

    ways and aside: as of run_signatures.
    """
    if not signatures:
        return {}
    queries = "\n".join(one.needs_query for one in signatures)
    read = tables_read(queries)
    ways.rows.update({view: sum(step.rows for step in own) for view, own in steps.items()})

    def asked(clusters: list[str]) -> dict[str, dict[str, Coverage]]:
        own = {name: {c: of[c] for c in clusters if c in of} for name, of in values.items()}
        with running("needs"), ways.of(queries):
            for one in signatures:
                if thresholds_view(one) in read:
                    _show_thresholds(spark, one, own[one.id])
            for view in sorted(read & set(steps)):
                _show(view, steps[view], clusters)
            rows = reduce(DataFrame.union, [_needs(spark, one) for one in signatures]).collect()
            return {
                one.id: coverage(one.needs, (Asked(*row[1:]) for row in rows if row[0] == one.id), own[one.id])
                for one in signatures
            }

    return aside.run(Task(read, asked))


def _needs(spark: SparkSession, signature: Signature) -> DataFrame:
    """Rows of Asked with the signature before them; columns that the query does not give are null."""
    frame = spark.sql(signature.needs_query)
    given = [name if name in frame.columns else f"NULL AS {name}" for name in Asked._fields]
    return frame.selectExpr(f"'{signature.id}' AS signature", *given)


def _show_thresholds(spark: SparkSession, signature: Signature, values: Values) -> None:
    table = thresholds_table(signature, values)
    kinds = [StructField(n, StringType() if n == "cluster" else DoubleType()) for n in table.column_names]
    in_driver(spark, table, StructType(kinds)).createOrReplaceTempView(thresholds_view(signature))


def _show(view: str, steps: Sequence[Step], clusters: Sequence[str]) -> None:
    """Register a step for these clusters: as it is where one run has made it for them."""
    if len(steps) == 1 and set(steps[0].clusters) <= set(clusters):
        frame = steps[0].frame
    else:
        frame = reduce(DataFrame.union, [step.of(clusters) for step in steps])
    frame.createOrReplaceTempView(view)
