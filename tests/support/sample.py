"""Which tests `scripts/test` runs on a day: takes the collected tests and the date, leaves the other days' lots out.

A test that is marked `sampled` costs too much for every run. What shares its cost is one lot: a file, or what the mark
names. The lots take turns: of every DAYS days each has one. Without `--sample` every test runs; `scripts/prove tests`
runs lot after lot (`--lot NAME`), the tests of every run as one of them.
"""

import os
from datetime import UTC, date, datetime

import pytest

DAYS = 56  # until every lot has had its turn
LOTS = "lots: "
EVERY_RUN = "every-run"  # as the name of a lot: the tests that are not sampled
_NAMES = pytest.StashKey[list[str]]()
DAY = "FLEET_TEST_DAY"  # 2026-11-25, so that a run can be had again; scripts/test sets it for all workers


def today() -> date:
    """The day whose lots run: that of the environment, else that of the clock in UTC. Raises ValueError."""
    named = os.environ.get(DAY)
    return date.fromisoformat(named) if named else datetime.now(UTC).date()


def lots_of(names: set[str], day: date) -> set[str]:
    """Those of these lots whose turn the day is."""
    return {name for turn, name in enumerate(sorted(names)) if turn % DAYS == day.toordinal() % DAYS}


def lot(item: pytest.Item) -> str | None:
    """The lot that a test is of; None runs every day."""
    mark = item.get_closest_marker("sampled")
    if mark is None:
        return None
    return str(mark.args[0]) if mark.args else item.path.stem


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options that leave lots out."""
    parser.addoption("--sample", action="store_true", help=f"of the sampled tests only the lots of {DAY}, or of today")
    parser.addoption("--lot", metavar="NAME", help=f"only the tests of one lot; {EVERY_RUN}: only those of none")


def pytest_report_header(config: pytest.Config) -> str | None:
    """The day, with which the same lots run again."""
    return f"{DAY}={today()}" if config.getoption("--sample") else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the lots of other days, or all that is not of the one lot."""
    lots = {item: lot(item) for item in items}
    names = {one for one in lots.values() if one is not None}
    config.stash[_NAMES] = sorted(names)
    ours: set[str | None]
    if only := config.getoption("--lot"):
        if only not in {EVERY_RUN, *names}:
            raise pytest.UsageError(f"no lot {only}; there are {', '.join([EVERY_RUN, *sorted(names)])}")
        ours = {None if only == EVERY_RUN else only}
    elif config.getoption("--sample"):
        ours = {None, *lots_of(names, today())}
    else:
        return
    left = [item for item, one in lots.items() if one not in ours]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if lots[item] in ours]


def pytest_report_collectionfinish(config: pytest.Config) -> str | None:
    """The name of every lot, where tests are listed and not run."""
    return f"{LOTS}{' '.join([EVERY_RUN, *config.stash[_NAMES]])}" if config.option.collectonly else None
