"""Every column that a sweep stores is read by a query or by the program, or has its reason."""

import ast
import re
from pathlib import Path

import yaml

from kafka_fleet.schema.raw_tables import raw_schemas

ROOT = Path(__file__).resolve().parents[3]
KEYS = {"cluster", "broker", "sweep_at", "last_sweep_at", "read_at"}
WRITERS = {"collect", "prometheus_import", "schema"}  # they name columns to store them


def queries() -> list[str]:
    """The text of every query, without comments."""
    return [re.sub(r"--.*", "", path.read_text()) for path in (ROOT / "sql").rglob("*.sql")]


def literals() -> list[set[str]]:
    """The texts in each module that reads what is stored. Close looks, which collecting does, read a sweep as well."""
    found = []
    library = ROOT / "plugins/kafka_fleet"
    for path in [*library.rglob("*.py"), *(ROOT / "spark").rglob("*.py")]:
        if WRITERS & set(path.relative_to(ROOT).parts) and "close_looks" not in path.parts:
            continue
        nodes = ast.walk(ast.parse(path.read_text()))
        found.append({one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)})
    return found


def unread() -> dict[str, set[str]]:
    texts, modules, found = queries(), literals(), dict[str, set[str]]()
    for table, schema in raw_schemas().items():
        own = " ".join(text for text in texts if re.search(rf"\braw_{table}\b", text))
        columns = {name for name in schema.names if name not in KEYS and not re.search(rf"\b{name}\b", own)}
        columns = {name for name in columns if not any({table, name} <= one for one in modules)}
        if columns:
            found[table] = columns
    return found


def test_what_nothing_reads_has_its_reason_and_what_has_a_reason_is_read_by_nothing() -> None:
    listed = yaml.safe_load((Path(__file__).parent / "unread_columns.yaml").read_text())
    assert {table: set(columns) for table, columns in listed.items()} == unread()
    assert all(len(reason.split()) >= 4 for columns in listed.values() for reason in columns.values())
