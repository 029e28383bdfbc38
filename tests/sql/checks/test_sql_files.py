"""What is wrong with the SQL of a check is told with its file, the line in that file, and what is there instead."""

import re
from collections import defaultdict
from typing import Any

import pytest

from fleet_spark.conditions import run_conditions
from fleet_spark.plots import run_plots
from fleet_spark.signatures import run_signatures
from fleet_spark.sql_files import SqlFileError
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.conditions import Condition, load_conditions
from kafka_fleet.knowledge.plots import load_plots
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from support.builders.cases import cases, rows_of
from support.spark_runs.analysed import spark
from support.spark_runs.fact_schemas import fact_schemas
from support.spark_runs.given_rows import give_all

pytestmark = [pytest.mark.timeout(1800), pytest.mark.sampled("sql-files")]
NAME = "retriable_errors"
CASES = [one for one in cases(sql_dir() / "signatures" / NAME) if one.kind in ("fires", "missing")]


@pytest.fixture(autouse=True)
def tables() -> None:
    """The fact tables with what the signature's cases have."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in CASES:
        for table, found in rows_of(case, fact_schemas()).items():
            rows[table] += found
    give_all(spark(), fact_schemas(), rows)


def said_of_conditions(**changed: Condition) -> str:
    with pytest.raises(SqlFileError) as caught:
        run_conditions(spark(), load_conditions() | changed, "2026-11-20")
    return str(caught.value)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("FROM topic_days\n", "FORM topic_days\n", "Syntax error at or near 'FORM'"),
        ("fewest_replicas >= 2", "fewest_replica >= 2", "`fewest_replica` cannot be resolved. Did you mean"),
        ("FROM topic_days\n", "FROM topics_day\n", "The table or view `topics_day` cannot be found"),
        ("coalesce(min_insync_replicas = 1", "coalese(min_insync_replicas = 1", "routine `coalese`"),
    ],
)
def test_a_condition_s_fault_is_told_with_the_line_of_its_file(before: str, after: str, words: str) -> None:
    whole = load_conditions()["min_isr_unsafe"]
    assert whole.query.count(before) == 1
    line = whole.query[: whole.query.index(before)].count("\n") + 1
    said = said_of_conditions(min_isr_unsafe=whole.model_copy(update={"query": whole.query.replace(before, after)}))
    assert said.startswith(f"sql/conditions/min_isr_unsafe/detections.sql, line {line}: [")
    assert words in said
    assert "\n" not in said


def test_a_condition_that_lacks_a_column_is_told_which_and_what_it_gives() -> None:
    whole = load_conditions()["min_isr_unsafe"]
    query = whole.query.replace("0 AS ordinal", "0 AS place").replace("AS ordinal,", "AS place,")
    said = said_of_conditions(min_isr_unsafe=whole.model_copy(update={"query": query}))
    assert said == (
        "sql/conditions/min_isr_unsafe/detections.sql: gives no column ordinal; it gives "
        "cluster, metric, kind, object_name, object_detail, place, amount, from_at, to_at, is_subject"
    )


def said_of_signature(part: str, before: str, after: str) -> str:
    """part: a field of the signature, or the view of a step."""
    whole = load_signatures()[NAME]
    text = whole.steps.get(part) or getattr(whole, part)
    assert before in text
    made = text.replace(before, after)
    update: dict[str, Any] = {"steps": {**whole.steps, part: made}} if part in whole.steps else {part: made}
    clusters = {case.cluster: {NAME: case.thresholds} for case in CASES}
    changed: Signature = whole.model_copy(update=update)
    with pytest.raises(SqlFileError) as caught:
        run_signatures(spark(), [changed], clusters)
    return str(caught.value)


@pytest.mark.parametrize(
    ("part", "before", "after", "said"),
    [
        ("produce_errors", "e.errors,", "e.erors,", r"2_produce_errors.sql, line 32: \[UNRES.* `e`.`erors` cannot"),
        ("detections_query", "FROM summed", "FROM sumed", r"detections.sql, line \d+: \[TABLE_OR_VIEW.* `sumed`"),
        ("detections_query", "AS strength", "AS strenght", "detections.sql: gives no column strength; it gives clus"),
        ("detections_query", "AS error_share", "AS share", "column error_share .evidence, entry 2, value of signature"),
        ("detections_query", "'suggestive'", "'perhaps'", "strength: .* has no perhaps; allowed: conclusive, sugg"),
        ("produce_errors", "THEN 'election'", "THEN 'elections'", "cause: .* no elections; did you mean election[?]"),
        ("needs_query", "'errors' AS need", "'erors' AS need", "needs.sql: need: .* no erors; did you mean errors[?]"),
        ("needs_query", "FROM listener_clients", "FROM listeners", r"needs.sql, line \d+: \[TABLE_OR_VIEW_NOT_FOUND"),
        ("series_query", "'errors' AS chart", "'eror' AS chart", "series.sql: chart: .* no eror; did you mean errors"),
        ("series_query", "AS amount", "AS amounts", "series.sql: gives no column amount; it gives cluster, chart,"),
        ("rows_query", "batches,", "batches AS batch,", "rows.sql: gives no column batches .table.of_all of "),
        ("subjects_query", "d.cause,", "d.cause AS why,", r"subjects.sql"),
    ],
)  # fmt: skip
def test_a_signature_s_fault_is_told_with_its_file(part: str, before: str, after: str, said: str) -> None:
    found = said_of_signature(part, before, after)
    assert found.startswith(f"sql/signatures/{NAME}/")
    assert re.search(said, found), found


def test_no_query_folds_case_by_the_rules_of_all_languages() -> None:
    """Spark then loads them, 3 GB of allocation and a CPU second for each JVM; translate() of letters does without."""
    folds = re.compile(r"\b(?:upper|lower|ucase|lcase|initcap)\(|\bILIKE\b", re.IGNORECASE)
    assert [path.name for path in sql_dir().rglob("*.sql") if folds.search(path.read_text(encoding="utf-8"))] == []


def test_a_plot_s_fault_is_told_with_its_file() -> None:
    plots = load_plots()
    name, whole = next(iter(plots.items()))
    binned = (sql_dir() / "plots/binned.sql").read_text(encoding="utf-8")
    changed = whole.model_copy(update={"query": whole.query.replace("FROM ", "FROM no_such_", 1)})
    with pytest.raises(SqlFileError, match=rf"^sql/plots/{name}/query.sql, line \d+: \[TABLE_OR_VIEW_NOT_FOUND\]"):
        run_plots(spark(), {**plots, name: changed}, binned, "2026-11-20")
