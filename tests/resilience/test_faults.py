"""The rows of faults.yaml and the tests that name them: none without a test, none unknown, none recorded as failed."""

import json
import subprocess
import sys

import pytest

from docs_generator import fault_pages
from docs_generator.fault_pages import ROOT, Fault, faults, recorded, result
from support.fault_results import commit

ALL = faults()


def test_the_rows_are_numbered_from_1_to_80():
    assert [one.number for one in ALL] == list(range(1, 81))


@pytest.mark.parametrize("one", ALL, ids=lambda one: str(one.number))
def test_every_row_has_a_test_and_each_passed_when_it_was_last_recorded(one: Fault, pytestconfig: pytest.Config):
    named = [name for name, rows in fault_pages.tests().items() if one.number in rows]
    assert named, f"no test names row {one.number}: {one.fault}"
    known = recorded()
    results = {name: known[name]["result"] if name in known else "not recorded" for name in named}
    # a run that records writes what there was no result of at its end
    fine = {"passed", "not recorded"} if pytestconfig.pluginmanager.has_plugin("tests.fault_results") else {"passed"}
    bad = {name: result for name, result in results.items() if result not in fine}
    assert not bad, "docs/faults.md says how to record it again"


def test_no_test_names_an_unknown_row():
    known = {one.number for one in ALL}
    assert {name: rows for name, rows in fault_pages.tests().items() if not known.issuperset(rows)} == {}


def test_no_result_is_of_a_test_that_is_gone():
    assert set(recorded()) <= set(fault_pages.tests())


# a test file of the recorder's own run, with one result of each kind: the skip is one of them, and must be recorded
PROBE = """
import pytest
@pytest.mark.fault(1)
@pytest.mark.parametrize("n", [1, 2])
def test_good(n): pass
@pytest.mark.fault(1, 2)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_bad(n):
    if n == 2: pytest.skip("cannot be had here")  # to be recorded as skipped
    assert n != 3
def test_of_no_row(): assert False
"""


@pytest.mark.sampled("faults-recorded")
def test_a_run_is_recorded_as_it_was_also_by_several_workers(tmp_path, monkeypatch):
    (tmp_path / "tests/resilience").mkdir(parents=True)
    (tmp_path / "tests/test_probe.py").write_text(PROBE)
    (tmp_path / "tests/resilience/fault_results.json").write_text(
        '{"tests/test_gone.py::test_x": {"result": "passed"}}'
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = fault(*rows): x\n")
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        f"import sys; sys.path[:0] = [{str(ROOT / 'docs')!r}, {str(ROOT / 'tests')!r}, {str(ROOT / 'plugins')!r}]\n"
        "import pathlib, docs_generator\n"
        "docs_generator.ROOT = pathlib.Path(__file__).parent\n"
        "from support.fault_results import *\n"
    )
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=tmp_path, text=True)[:10]
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-n", "2", "-p", "plugin", "-p", "no:cacheprovider", "tests"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    found = json.loads((tmp_path / "tests/resilience/fault_results.json").read_text())
    assert {name: (one["result"], one["cases"]) for name, one in found.items()} == {
        "tests/test_probe.py::test_bad": ("failed", 3),
        "tests/test_probe.py::test_good": ("passed", 2),
    }
    assert {one["commit"] for one in found.values()} == {head}
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    assert commit(tmp_path, "tests/resilience/fault_results.json") == f"{head}+"
    assert commit(tmp_path / "tests") is None
    monkeypatch.setattr(fault_pages, "recorded", lambda: found)
    monkeypatch.setattr(fault_pages, "tests", lambda: {name: [1] for name in [*found, "tests/test_new.py::test_z"]})
    assert result(1) == f"failed: 5 cases, {found['tests/test_probe.py::test_bad']['on']}, {head}, 1 more not recorded"
    assert result(2) == "not recorded"
