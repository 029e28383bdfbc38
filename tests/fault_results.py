"""Pytest plugin (`-p tests.fault_results`): takes the tests that name rows of faults.yaml, records their results.

A run of some tests replaces their results in tests/fault_results.json and leaves the others. Works under pytest-xdist.
"""

import json
from collections import defaultdict
from datetime import UTC, datetime

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
        name = report.nodeid.partition("[")[0]
        _outcomes[name][report.nodeid].add(report.outcome)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the file, once, where all reports arrived."""
    if hasattr(session.config, "workerinput"):
        return
    from docs_generator.fault_pages import RESULTS, ROOT, WORST, recorded, tests  # pytest knows where docs are by now

    today, known = datetime.now(UTC).date().isoformat(), recorded()
    for name, cases in _outcomes.items():
        worst = min((one for outcomes in cases.values() for one in outcomes), key=WORST.index)
        known[name] = {"result": worst, "cases": len(cases), "on": today}
    kept = {name: known[name] for name in sorted(known) if name in tests()}
    (ROOT / RESULTS).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
