"""Pytest plugin (`-p tests.support.fault_results`): takes tests that name rows of faults.yaml, records their results.

A run of some tests replaces their results in tests/resilience/fault_results.json and leaves the others. Each has the
day and the commit that it is of, with a "+" where files differed from it; null where there is no
git. Works under pytest-xdist.
"""

import json
import shutil
import subprocess
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest

_outcomes: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """In the process that runs the test: put the rows beside it, where reports carry them."""
    rows = [number for mark in item.iter_markers("fault") for number in mark.args]
    if rows:
        item.user_properties.append(("fault", rows))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the process that prints: each test comes three times, as setup, call and teardown."""
    if dict(report.user_properties).get("fault"):
        name = report.nodeid.partition("[")[0].partition("@")[0]  # without parameters, and the group that xdist adds
        _outcomes[name][report.nodeid].add(report.outcome)


def commit(root: Path, *recorded: str) -> str | None:
    """The commit that is checked out, with a "+" where more of its files than the `recorded` ones differ from it."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    asked = ([git, "rev-parse", "--short=10", "HEAD"], [git, "status", "--porcelain", "--untracked-files=no"])
    head, changed = (subprocess.check_output(one, cwd=root, text=True).splitlines() for one in asked)
    return head[0] + ("+" if [line for line in changed if line[3:] not in recorded] else "")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the file, once, where all reports arrived."""
    if hasattr(session.config, "workerinput"):
        return
    from docs_generator.fault_pages import (
        PAGE,
        RESULTS,
        ROOT,
        WORST,
        recorded,
        tests,
    )  # pytest knows where docs are by now

    of = {"on": datetime.now(UTC).date().isoformat(), "commit": commit(ROOT, RESULTS, PAGE)}
    known = recorded()
    for name, cases in _outcomes.items():
        worst = min((one for outcomes in cases.values() for one in outcomes), key=WORST.index)
        known[name] = {"result": worst, "cases": len(cases), **of}
    kept = {name: known[name] for name in sorted(known) if name in tests()}
    (ROOT / RESULTS).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
