"""The page of the marts: takes their descriptions and queries, gives tables, and the lineage as it runs."""

import re
from pathlib import Path

from docs_generator.markdown import table
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.marts import Mart, load_marts

PAGE = "docs/reference/marts.md"
_READS = re.compile(r"\b(?:FROM|JOIN)\s+([a-z_]+)")
_HEAD = """# Marts

The tables that Spark stores of a day, from which checks, plots and letters are made, as Parquet in the home. The
queries are `sql/facts/<table>.sql`; a table is computed as soon as those that it reads are there. This page is
generated from the descriptions beside the queries; `tests/sql/marts/test_mart_documents.py` holds the rows of generated
fleets to them: columns, grain, and what is null.
"""


def reads(query: str) -> set[str]:
    """The tables after FROM and JOIN."""
    return set(_READS.findall(query))


def _rows(one: Mart) -> str:
    rows = [
        [f"`{name}`", column.unit or "", column.about or "", column.null or "never"]
        for name, column in one.columns.items()
    ]
    return table(["Column", "Unit", "What it is", "Null"], rows)


def _readers(name: str, sql: Path) -> list[str]:
    """Checks and plots that read a mart, by kind and id."""
    found = {
        f"{path.parts[-3].rstrip('s')} `{path.parts[-2]}`"
        for kind in ("signatures", "conditions", "plots")
        for path in sorted((sql / kind).glob("*/*.sql"))
        if name in reads(path.read_text(encoding="utf-8"))
    }
    return sorted(found)


def lineage() -> str:
    """Which mart is made of which others, as a Mermaid graph; raw tables are named in the tables below."""
    queries = {path.stem: path.read_text(encoding="utf-8") for path in sorted((sql_dir() / "facts").glob("*.sql"))}
    lines = [
        f"  {source} --> {name}" for name, query in queries.items() for source in sorted(reads(query) & set(queries))
    ]
    alone = set(queries) - {word for line in lines for word in line.split()}
    return "\n".join(["```mermaid", "graph LR", *lines, *(f"  {name}" for name in sorted(alone)), "```"])


def mart_page() -> str:
    """The whole page."""
    parts = [_HEAD, f"## Lineage\n\n{lineage()}\n"]
    for name, one in load_marts().items():
        query = (sql_dir() / "facts" / f"{name}.sql").read_text(encoding="utf-8")
        raw = ", ".join(f"`{source}`" for source in sorted(reads(query)) if source.startswith("raw_"))
        readers = ", ".join(_readers(name, sql_dir()))
        words = [one.about, f"Grain: {', '.join(f'`{column}`' for column in one.grain)}."]
        words += [f"Raw tables: {raw}."] if raw else []
        words += [f"Read by {readers}."] if readers else []
        parts.append(f"## {name}\n\n{' '.join(words)}\n\n{_rows(one)}\n")
    return "\n".join(parts)
