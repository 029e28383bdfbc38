"""Pages of the raw tables: takes the schemas, gives what a row is and every column with type, bound and meaning."""

from collections.abc import Iterable

import pyarrow as pa

from docs_generator.markdown import table
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.column_constraints import bounds

OF_A_SWEEP = ("cluster", "sweep_at")  # columns of every raw table; the pages name them once
OF_A_BROKER = (*OF_A_SWEEP, "broker", "read_at")
REQUEST_TABLES = tuple(name for name in mbeans.tables() if "request" in name)
METRIC_TABLES = tuple(name for name in mbeans.tables() if name not in REQUEST_TABLES)


def _about(one: pa.Schema | pa.Field) -> str:
    text: bytes = (one.metadata or {}).get(b"about", b"")
    return text.decode().removeprefix("; ")  # what is left where a column has no unit


def raw_tables(names: Iterable[str]) -> str:
    """The named raw tables with what a row is, and their columns with type, bound and meaning, less what all have."""
    parts = []
    for name in names:
        schema = raw_schemas()[name]
        common = OF_A_BROKER if name in mbeans.tables() else OF_A_SWEEP
        rows = [
            [f"`{field.name}`", f"`{field.type}`", bounds(name)[field.name].words, _about(field)]
            for field in schema
            if field.name not in common
        ]
        parts.append(f"## {name}\n\n{_about(schema)}\n\n{table(['Column', 'Type', 'Bound', 'Meaning'], rows)}")
    return "\n\n".join(parts)
