"""The pages of the marts: takes their descriptions and queries, gives tables, and the lineage as it runs."""

from pathlib import Path

from docs_generator.markdown import table
from fleet_spark.query_profiles import tables_read
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.marts import Mart, load_marts

FOLDER = "docs/reference/marts"
NOTE = "<!-- generated from sql/marts/ by docs/generate.py: do not edit -->"
_HEAD = """# Marts

The tables that Spark stores of a day, from which checks, plots and letters are made, as Parquet in the home. The
queries are `sql/marts/<table>.sql`; a table is computed as soon as those that it reads are there. These pages are
generated from the descriptions beside the queries; `tests/sql/marts/test_mart_documents.py` holds the rows of generated
fleets to them: columns, grain, and what is null.
"""


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
        if name in tables_read(path.read_text(encoding="utf-8"))
    }
    return sorted(found)


def lineage() -> str:
    """Which mart is made of which others, as a Mermaid graph; raw tables are named in the tables below."""
    queries = {path.stem: path.read_text(encoding="utf-8") for path in sorted((sql_dir() / "marts").glob("*.sql"))}
    lines = [
        f"  {source} --> {name}"
        for name, query in queries.items()
        for source in sorted(tables_read(query) & set(queries))
    ]
    alone = set(queries) - {word for line in lines for word in line.split()}
    return "\n".join(["```mermaid", "graph LR", *lines, *(f"  {name}" for name in sorted(alone)), "```"])


def _page(name: str, one: Mart) -> str:
    query = (sql_dir() / "marts" / f"{name}.sql").read_text(encoding="utf-8")
    read = sorted(tables_read(query))
    raw = ", ".join(f"`{source}`" for source in read if source.startswith("raw_"))
    marts = ", ".join(f"[{source}]({source}.md)" for source in read if source in load_marts())
    readers = ", ".join(_readers(name, sql_dir()))
    words = [one.about, f"Grain: {', '.join(f'`{column}`' for column in one.grain)}."]
    words += [f"Raw tables: {raw}."] if raw else []
    words += [f"Made of {marts}."] if marts else []
    words += [f"Read by {readers}."] if readers else []
    return f"{NOTE}\n# {name}\n\n{' '.join(words)}\n\n{_rows(one)}\n"


def _index() -> str:
    rows = [
        [f"[{name}]({name}.md)", one.about, ", ".join(f"`{column}`" for column in one.grain)]
        for name, one in load_marts().items()
    ]
    listed = table(["Table", "A row", "Grain"], rows)
    return f"{NOTE}\n{_HEAD}\n{listed}\n\n## Lineage\n\n{lineage()}\n"


def mart_pages() -> dict[str, str]:
    """Every page by its path: one per mart, and the index with the lineage."""
    pages = {f"{FOLDER}/{name}.md": _page(name, one) for name, one in load_marts().items()}
    return {f"{FOLDER}/README.md": _index(), **pages}
