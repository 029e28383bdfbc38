"""What every signature needed of the day: runs the needs of all signatures as one query, gives coverage per cluster.

The needs read fact tables, steps that the signatures have left, and a table of each signature's thresholds by cluster,
so that they run once whatever clusters override.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import DoubleType, StringType, StructField, StructType

from fleet_spark.aside import Aside, Task
from fleet_spark.failures import running
from fleet_spark.frames import local_frame
from fleet_spark.query_profiles import QueryProfiles, tables_read
from fleet_spark.sql_files import joined, query_file, require_names
from fleet_spark.steps import Step
from kafka_fleet.knowledge.conditions import Condition
from kafka_fleet.knowledge.needs import Coverage, Shown, coverage
from kafka_fleet.knowledge.query_columns import NEEDS
from kafka_fleet.knowledge.signatures import Signature

Values = Mapping[str, Mapping[str, float]]  # cluster -> threshold -> value in force, of one signature


# clusters and their brokers, of which the needs are asked
_ASKED = """
SELECT NULL AS signature, cluster, NULL AS need, NULL AS broker, NULL AS reason, NULL AS amount, NULL AS total
FROM cluster_days
UNION ALL
SELECT NULL, cluster, NULL, broker, NULL, NULL, NULL FROM broker_days WHERE is_broker"""


def thresholds_view(check: Signature | Condition) -> str:
    """Name of the table of a check's thresholds: `cluster`, and a column for each."""
    return f"{check.id}_thresholds"


def thresholds_table(check: Signature | Condition, values: Values) -> pa.Table:
    """The thresholds in force, one row per cluster."""
    columns = {"cluster": pa.array(list(values), pa.string())}
    columns |= {n: pa.array([own[n] for own in values.values()], pa.float64()) for n in check.thresholds}
    return pa.table(columns)


def show_thresholds(spark: SparkSession, check: Signature | Condition, values: Values) -> None:
    """Register the table of a check's thresholds."""
    table = thresholds_table(check, values)
    kinds = [StructField(n, StringType() if n == "cluster" else DoubleType()) for n in table.column_names]
    local_frame(spark, table, StructType(kinds)).createOrReplaceTempView(thresholds_view(check))


def run_coverage(
    spark: SparkSession,
    signatures: Sequence[Signature],
    values: Mapping[str, Values],
    steps: Mapping[str, Step],
    profiles: QueryProfiles,
    aside: Aside,
) -> dict[str, dict[str, Coverage]]:
    """Signature -> cluster -> coverage. values: by signature; steps: by view.

    profiles and aside: as of run_signatures.
    """
    if not signatures:
        return {}
    query = "\nUNION ALL\n".join([_ASKED, *map(_needs, signatures)])
    read = tables_read(query)
    profiles.rows.update({view: step.rows for view, step in steps.items()})

    def covered(clusters: list[str]) -> dict[str, dict[str, Coverage]]:
        own = {name: {c: of[c] for c in clusters if c in of} for name, of in values.items()}
        with running("needs"), profiles.for_query(query):
            for one in signatures:
                if thresholds_view(one) in read:
                    show_thresholds(spark, one, own[one.id])
            for view in sorted(read & set(steps)):
                show_step(view, steps[view], clusters)
            rows: dict[str | None, list[Row]] = defaultdict(list)
            files = {query_file("signatures", one.id, "needs"): one.needs_query for one in signatures}
            for row in joined(spark, query, files, NEEDS).collect():
                rows[row.signature].append(row)
            for one in signatures:
                _require_known(one, rows[one.id])
            brokers: dict[str, set[int]] = defaultdict(set)
            for row in rows[None]:
                brokers[row.cluster] |= set() if row.broker is None else {row.broker}
            return {
                one.id: coverage(one.needs, [Shown(*row[1:]) for row in rows[one.id]], brokers, own[one.id])
                for one in signatures
            }

    return aside.run(Task(read, covered))


def _require_known(signature: Signature, rows: Sequence[Row]) -> None:
    """Raise SqlFileError for a need, or a reason of one, that signature.yaml does not have."""
    file = query_file("signatures", signature.id, "needs")
    require_names(file, "need", (row.need for row in rows), signature.needs)
    for name, need in signature.needs.items():
        reasons = (row.reason for row in rows if row.need == name and row.reason is not None)
        require_names(file, f"reason of {name}", reasons, need.unmet)


def _needs(signature: Signature) -> str:
    """The signature's query with its name, and with null for the columns that it does not give."""
    text = signature.needs_query
    given = [n if re.search(rf"\bAS {n}\b", text) else f"NULL AS {n}" for n in ("reason", "amount", "total")]
    columns = ", ".join(["cluster", "need", "broker", *given])
    return f"SELECT '{signature.id}' AS signature, {columns} FROM (\n{text}\n)"  # noqa: S608  # all are of the project


def show_step(view: str, step: Step, clusters: Sequence[str]) -> None:
    """Register a step for these clusters: as it is where it was made for no others."""
    frame = step.frame if set(step.clusters) <= set(clusters) else step.of(clusters)
    frame.createOrReplaceTempView(view)
