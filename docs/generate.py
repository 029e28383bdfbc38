"""Writes the generated parts of the documentation: takes schemas and signature folders, fills marked blocks.

    python docs/generate.py            rewrite what is out of step and name it
    python docs/generate.py --check    only name it; exit code 1 when there is anything

A block stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`; the prose around it is written by hand.
"""

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from kafka_fleet.collect import mbeans
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.store.schemas import ADMIN_TABLES, raw_schemas

ROOT = Path(__file__).resolve().parents[1]
OF_A_SWEEP = ("cluster", "sweep_at")  # columns of every raw table; the pages name them once
OF_A_BROKER = (*OF_A_SWEEP, "broker", "read_at")


def _row(*cells: str) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join([_row(*head), _row(*["---"] * len(head)), *(_row(*row) for row in rows)])


def signature_table() -> str:
    """One row per installed signature: id (linked where it has a page), the symptom, its causes."""
    rows = []
    for one in load_signatures().values():
        page = f"docs/signatures/{one.id}.md"
        name = f"[`{one.id}`]({page})" if (ROOT / page).is_file() else f"`{one.id}`"
        rows.append([name, one.title, ", ".join(f"`{cause}`" for cause in one.causes)])
    return _table(["Signature", "The symptom", "Causes it tells apart"], rows)


def _about(one: pa.Schema | pa.Field) -> str:
    text: bytes = (one.metadata or {}).get(b"about", b"")
    return text.decode().removeprefix("; ")  # what is left where a column has no unit


def raw_tables(names: Iterable[str]) -> str:
    """The named raw tables with what a row is, and their columns with type and meaning, less those that all have."""
    parts = []
    for name in names:
        schema = raw_schemas()[name]
        common = OF_A_BROKER if name in mbeans.tables() else OF_A_SWEEP
        rows = [[f"`{field.name}`", f"`{field.type}`", _about(field)] for field in schema if field.name not in common]
        parts.append(f"## {name}\n\n{_about(schema)}\n\n{_table(['Column', 'Type', 'Meaning'], rows)}")
    return "\n\n".join(parts)


def _causes(signature: Signature) -> str:
    return _table(["Cause", "What happens"], [[f"`{name}`", text] for name, text in signature.causes.items()])


def _thresholds(signature: Signature) -> str:
    rows = [
        [f"`{name}`", f"{one.value:g} {one.unit}", f"{one.minimum:g} to {one.maximum:g}", one.reason]
        for name, one in signature.thresholds.items()
    ]
    return _table(["Threshold", "Value", "Allowed", "Why"], rows)


def _look_alikes(signature: Signature) -> str:
    return _table(["Looks alike", "What separates it"], [[one.name, one.separated_by] for one in signature.look_alikes])


def blocks() -> dict[Path, dict[str, str]]:
    """Content of every generated block by page and name. A signature has a page only where somebody wrote one."""
    found = {
        ROOT / "README.md": {"signatures": signature_table()},
        ROOT / "docs/raw_tables.md": {"raw tables": raw_tables(ADMIN_TABLES)},
        ROOT / "docs/raw_metrics.md": {"raw tables": raw_tables(mbeans.tables())},
    }
    for one in load_signatures().values():
        page = ROOT / f"docs/signatures/{one.id}.md"
        if page.is_file():
            found[page] = {"causes": _causes(one), "thresholds": _thresholds(one), "look-alikes": _look_alikes(one)}
    return found


def fill(text: str, name: str, content: str) -> str:
    """The page's text with one block replaced. Raises ValueError when the page does not have it exactly once."""
    begin, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the block {name!r} must stand exactly once between {begin} and {end}")
    return pattern.sub(lambda _found: f"{begin}\n{content}\n{end}", text)


def outdated() -> dict[Path, str]:
    """Pages whose generated blocks are out of step, with the text they should have."""
    pages: dict[Path, str] = {}
    for page, named in blocks().items():
        text = wanted = page.read_text(encoding="utf-8")
        for name, content in named.items():
            wanted = fill(wanted, name, content)
        if wanted != text:
            pages[page] = wanted
    return pages


def main(arguments: list[str]) -> int:
    """Entry point; exit code 1 only for --check with something out of step."""
    parser = argparse.ArgumentParser(description="Write the generated parts of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is out of step")
    check = parser.parse_args(arguments).check
    pages = outdated()
    for page, text in pages.items():
        print(f"{page.relative_to(ROOT)}: {'out of step' if check else 'written'}")
        if not check:
            page.write_text(text, encoding="utf-8")
    return 1 if check and pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
