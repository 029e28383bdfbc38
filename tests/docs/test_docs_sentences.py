"""What the operations page quotes is what the program says: every sentence in its first columns stands in the code."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
HEAD = "| What you see | What it means | What to do |"


def said(path: Path) -> set[str]:
    """Every text of a module, with … for what is put in when it runs; pieces that stand side by side are one."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            found.add("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(re.sub(r"%[sr]", "…", node.value))
    return found


def quoted() -> list[str]:
    """The sentences of all tables of the page."""
    tables = PAGE.split(HEAD)[1:]
    rows = [line for table in tables for line in table.split("\n\n", 1)[0].splitlines()[2:]]
    return [found[1] for row in rows if (found := re.match(r"\| `([^`]+)` \|", row))]


def test_every_quoted_sentence_is_in_the_code():
    files = [path for folder in ("plugins", "dags", "spark") for path in sorted((ROOT / folder).rglob("*.py"))]
    texts = set().union(*map(said, files))
    missing = [sentence for sentence in quoted() if not any(sentence in text for text in texts)]
    assert missing == []


def test_every_row_of_these_tables_quotes_one():
    rows = [line for table in PAGE.split(HEAD)[1:] for line in table.split("\n\n", 1)[0].splitlines()[2:]]
    assert len(quoted()) == len(rows) > 30


def test_a_sentence_is_found_with_its_gaps_and_not_without(tmp_path):
    module = tmp_path / "one.py"
    module.write_text("raise E(f'{a}: has no ' f'{b} left')\nlog.info('%s is late', x)\n")
    assert {"…: has no … left", "… is late"} <= said(module)
    assert not any("has no letter left" in text for text in said(module))
