"""The sample of a day: what is not sampled always runs, and every lot has its turn within the round."""

from datetime import date, timedelta

import pytest

from support.sample import DAY, DAYS, lots_of

FIRST = date(2026, 11, 25)
pytest_plugins = ["pytester"]
TESTS = """
import pytest

def test_always():
    pass

@pytest.mark.sampled("a")
def test_a():
    pass

@pytest.mark.sampled("b")
@pytest.mark.parametrize("number", [1, 2])
def test_b(number):
    pass
"""


@pytest.mark.parametrize("count", [1, 5, DAYS, 3 * DAYS + 2])
def test_every_lot_has_exactly_one_turn_in_a_round(count: int) -> None:
    names = {f"lot {number}" for number in range(count)}
    turns = [lots_of(names, FIRST + timedelta(days=day)) for day in range(DAYS)]
    assert sorted(name for turn in turns for name in turn) == sorted(names)
    assert max(map(len, turns)) - min(map(len, turns)) <= 1


def ran(pytester: pytest.Pytester, *options: str) -> dict[str, int]:
    return pytester.runpytest_inprocess("-p", "support.sample", "-p", "no:cacheprovider", *options).parseoutcomes()


def test_a_run_leaves_out_the_lots_of_other_days_and_says_which_day_it_is(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nmarkers =\n  sampled: a lot")
    pytester.makepyfile(TESTS)
    found = []
    for day in range(DAYS):
        monkeypatch.setenv(DAY, str(FIRST + timedelta(days=day)))
        found.append(ran(pytester, "--sample"))
    assert sorted(one["passed"] for one in found) == [1] * (DAYS - 2) + [2, 3]
    assert {one["passed"] + one["deselected"] for one in found} == {4}
    assert ran(pytester) == {"passed": 4}
    result = pytester.runpytest_inprocess("-p", "support.sample", "--sample")
    result.stdout.fnmatch_lines([f"{DAY}={FIRST + timedelta(days=DAYS - 1)}"])


def test_a_day_that_is_none_is_refused(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile("def test_one(): pass")
    monkeypatch.setenv(DAY, "tomorrow")
    result = pytester.runpytest_inprocess("-p", "support.sample", "--sample")
    assert result.ret != 0
