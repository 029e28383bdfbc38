"""Errors of SQL as its author needs them: takes what Spark raised, gives the file, the line in it, and what is wrong.

Queries of several checks run as one, where a line of Spark's is a line of none of their files. When such a query does
not parse or names what there is not, each part is looked at by itself.
"""

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.validation_errors import unknown_name
from kafka_fleet.knowledge.query_columns import Columns, lacking

# PySpark logs each such error with a page of Java beside raising it
logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)


class SqlFileError(Exception):
    """A query of sql/ cannot be run as it is written; the text names the file and, where Spark knows it, the line."""


def query_file(kind: str, check: str, name: str) -> str:
    """`sql/signatures/fetch_latency/2_views.sql`; name: of a query, or the view of a step."""
    numbered = (path.name for path in sorted((sql_dir() / kind / check).glob("[0-9]*_*.sql")))
    step = next((one for one in numbered if one.removesuffix(".sql").partition("_")[2] == name), f"{name}.sql")
    return f"sql/{kind}/{check}/{step}"


@contextmanager
def written_in(file: str) -> Iterator[None]:
    """Let what Spark says of the query within name its file. Raises SqlFileError for a fault of the text itself."""
    try:
        yield
    except AnalysisException as error:
        raise SqlFileError(_said(file, str(error))) from error


def _said(file: str, text: str) -> str:
    line = re.search(r"\bline (\d+),? pos \d+", text)
    problem = re.search(r"\[[A-Z_.0-9]+\].*?(?=\s+SQLSTATE|;|\n|$)", text, re.DOTALL)
    where = f"{file}, line {line[1]}" if line else file
    return f"{where}: {problem[0] if problem else text.strip().splitlines()[0]}"


def require_columns(file: str, given: Collection[str], asked: Columns, named: Iterable[tuple[str, str]] = ()) -> None:
    """Raise SqlFileError where a query does not give what is read of it."""
    if missing := lacking(given, asked, named):
        raise SqlFileError(f"{file}: gives no {', no '.join(missing)}; it gives {', '.join(given)}")


def require_names(file: str, column: str, given: Iterable[str | None], known: Collection[str]) -> None:
    """Raise SqlFileError where a column has a name that the YAML file beside does not."""
    for name in sorted({one for one in given if one is not None} - set(known)):
        raise SqlFileError(unknown_name(f"{file}: {column}: the YAML file beside it has no {name}", name, known))


def joined(spark: SparkSession, query: str, parts: Mapping[str, str], asked: Columns) -> DataFrame:
    """The frame of a query that is made of several files' texts. Raises SqlFileError naming the file that is at fault.

    parts: file -> its text; asked: the columns that each has to give.
    """
    try:
        return spark.sql(query)
    except AnalysisException:
        for file, text in parts.items():
            with written_in(file):
                found = spark.sql(text)
            require_columns(file, found.columns, asked)
        raise
