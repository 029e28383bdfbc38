"""Why a query failed: takes what was raised, says whether rows can have done that, and names it without any row.

Three kinds: `data` is a value that an expression does not take (overflow, a cast, an index, a time past year 9999);
`machine` is what no row does (disk, bucket, network, a JVM that is gone); `other` can be either, as lack of memory can.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.core.context import SparkContext
from pyspark.errors import PySparkException

from fleet_spark.sql_files import SqlFileError

Kind = Literal["data", "machine", "other"]
_DATA_STATES = ("22", "P0001")  # classes of SQLSTATE: data exception; raise_error and assert_true
_DATA = ("java.lang.ArithmeticException", "java.lang.IndexOutOfBoundsException", "java.time.DateTimeException")
_MACHINE = ("java.io.IOException", "java.lang.VirtualMachineError", "java.lang.InterruptedException")
_NO_MEMORY = "org.apache.spark.memory.SparkOutOfMemoryError"  # of one task, of which the JVM goes on


class QueryFailed(Exception):
    """A query of the day failed by what it read, perhaps. query: its name; error: what was raised."""

    def __init__(self, query: str, error: Exception) -> None:
        self.query = query
        self.error = error
        self.condition, self.kind = _told(error)
        super().__init__(f"the query `{query}` failed ({self.condition})")


@contextmanager
def running(name: str) -> Iterator[None]:
    """Let an error of the query within be a QueryFailed that names it; what is of the machine goes through as it is."""
    try:
        yield
    except (QueryFailed, SqlFileError):  # what is wrong with the text of a query no row did
        raise
    except Exception as error:
        failed = QueryFailed(name, error)
        if failed.kind == "machine":
            raise
        raise failed from error


def _told(error: Exception) -> tuple[str, Kind]:
    """Spark's condition of an error, else the class of its first cause; and its kind."""
    if isinstance(error, Py4JJavaError):
        return _java(error.java_exception)
    if isinstance(error, PySparkException):
        origin = getattr(error, "_origin", None)
        return _java(origin) if origin is not None else (error.getCondition() or type(error).__name__, "other")
    name = type(error).__name__
    if isinstance(error, OSError | Py4JError | MemoryError):
        return name, "machine"
    return name, "data" if isinstance(error, ValueError | ArithmeticError) else "other"


def _causes(thrown: Any) -> Iterator[Any]:
    """The throwable and its causes, the first cause last; a circle of them ends."""
    for _ in range(20):
        if thrown is None:
            return
        yield thrown
        thrown = thrown.getCause()


def _java(thrown: Any) -> tuple[str, Kind]:
    """Condition and kind of a throwable. What the first cause says counts, since the others only say where."""
    gateway: Any = SparkContext._gateway
    jvm = gateway.jvm

    def any_of(one: Any, *names: str) -> bool:
        return any(is_instance_of(gateway, one, name) for name in names)

    condition, kind = "", "other"
    for one in _causes(thrown):
        if any_of(one, *_MACHINE) and not any_of(one, _NO_MEMORY):
            return one.getClass().getSimpleName(), "machine"
        spark = any_of(one, "org.apache.spark.SparkThrowable")
        named = jvm.PythonErrorUtils.getCondition(one) if spark else None
        state = (jvm.PythonErrorUtils.getSqlState(one) if spark else None) or ""
        if named or not condition or not spark:
            condition = named or one.getClass().getSimpleName()
        if state.startswith(_DATA_STATES) or any_of(one, *_DATA):
            kind = "data"
    return condition, kind  # type: ignore[return-value]
