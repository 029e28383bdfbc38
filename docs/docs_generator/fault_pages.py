"""The page of faults: takes the rows of faults.yaml, the tests that name them and their results, gives Markdown.

A test names its rows with `@pytest.mark.fault(number, …)`. tests/support/fault_results.py records results in
tests/resilience/fault_results.json, from a run of the tests.
"""

import ast
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from docs_generator import ROOT
from docs_generator.markdown import code, escape, table

PAGE = "docs/faults.md"
ROWS, RESULTS = "tests/resilience/faults.yaml", "tests/resilience/fault_results.json"
WORST = ("failed", "skipped", "passed")
NOTE = f"<!-- generated from {ROWS}, {RESULTS} and the tests by docs/generate.py: do not edit -->"
HEAD = """# Faults that are injected

What may go wrong, and what must come of it. Each row has tests that let it happen for real: servers that misbehave on
a socket, processes that are killed, full disks, flipped bits, concurrent writers. "C" is that the other
clusters' findings are the same bytes as without the fault, and that the letter names the fault with its coverage;
`tests/sql/day/test_fault_isolation.py` has it for all faults of brokers at once, on one fleet that is measured and
judged with and without them.

A run of all tests, or of some, measures again what it has; results are kept per test, with the day of the last run
that had it and its commit (with a "+" where files differed from it). The last line writes them into this page.

```bash
scripts/test -p tests.support.fault_results
python -m pytest -p tests.support.fault_results -m fault tests/unit/collect/test_transport.py
python docs/generate.py
```
"""


class Fault(NamedTuple):
    """One row: what goes wrong, what must come of it, and where it differs from what one would expect."""

    number: int
    fault: str
    outcome: str
    differs: str | None


@cache
def faults() -> list[Fault]:
    """Every row, in order. Raises ValueError for one that says too little."""
    content: dict[int, dict[str, str]] = yaml.safe_load((ROOT / ROWS).read_text(encoding="utf-8"))
    for number, row in content.items():
        if not {"fault", "outcome"} <= set(row) <= {"fault", "outcome", "differs"}:
            raise ValueError(f"{ROWS}: {number}: has fault, outcome and, where needed, differs")
    return [Fault(number, row["fault"], row["outcome"], row.get("differs")) for number, row in content.items()]


def _rows_of(nodes: Iterable[ast.AST]) -> list[int]:
    """Rows in marks, those of single parameters among them."""
    calls = [node for one in nodes for node in ast.walk(one) if isinstance(node, ast.Call)]
    marks = [call for call in calls if ast.unparse(call.func) == "pytest.mark.fault"]
    return [ast.literal_eval(argument) for call in marks for argument in call.args]


def _named(path: Path) -> Iterator[tuple[str, list[int]]]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    of_file = _rows_of(node for node in body if ast.unparse(node).startswith("pytestmark ="))
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    for node in functions:
        if rows := of_file + _rows_of(node.decorator_list):
            yield f"{path.relative_to(ROOT).as_posix()}::{node.name}", rows


@cache
def tests() -> dict[str, list[int]]:
    """Rows by test that names them: `tests/test_x.py::test_y`."""
    return dict(one for path in sorted((ROOT / "tests").rglob("test_*.py")) for one in _named(path))


def recorded() -> dict[str, dict[str, Any]]:
    """By test: `result` (the worst of its parameters), `cases` (how many), `on`, the day, and `commit`."""
    path = ROOT / RESULTS
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def result(number: int) -> str:
    """What became of a row's tests in words; the first word is passed, failed, skipped or "not"."""
    known = recorded()
    own = [known.get(name) for name, rows in tests().items() if number in rows]
    found = [one for one in own if one is not None]
    if not found:
        return "not recorded"
    worst = min((one["result"] for one in found), key=WORST.index)
    cases, day = sum(one["cases"] for one in found), min(one["on"] for one in found)
    rest = f", {len(own) - len(found)} more not recorded" if len(found) < len(own) else ""
    return f"{worst}: {cases} {'case' if cases == 1 else 'cases'}, {day}{_commits(found)}{rest}"


def _commits(found: list[dict[str, Any]]) -> str:
    """The commits that results are of, three at most; results from before commits were recorded have none."""
    known = sorted({one["commit"] for one in found if one.get("commit")})
    more = f" and {len(known) - 3} more" if len(known) > 3 else ""
    return f", {', '.join(known[:3])}{more}" if known else ""


def _row(one: Fault) -> list[str]:
    own = [name.removeprefix("tests/") for name, rows in tests().items() if one.number in rows]
    outcome = escape(one.outcome) + (f" ({escape(one.differs)})" if one.differs else "")
    return [str(one.number), escape(one.fault), outcome, "<br>".join(map(code, own)), result(one.number)]


def fault_page() -> str:
    """The whole page."""
    rows = table(["", "Fault", "What comes of it", "Tests", "Result"], map(_row, faults()))
    return f"{NOTE}\n{HEAD}\n{rows}\n"
