"""Where tests lie: all are found by a run of everything, and none leans on another."""

import ast
import os
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
FILES = sorted(TESTS.rglob("test_*.py"))


def test_every_test_is_in_a_folder_that_is_run():
    configured = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    folders = [TESTS.parent / name for name in configured["tool"]["pytest"]["ini_options"]["testpaths"]]
    assert [path for path in FILES if not any(path.is_relative_to(folder) for folder in folders)] == []
    assert all(folder.is_dir() for folder in folders)


def test_no_test_imports_a_test():
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").split(".")[-1].startswith("test_"), path


def test_outside_support_there_are_tests_and_their_fixtures_alone():
    others = [path.relative_to(TESTS) for path in TESTS.rglob("*.py") if path not in FILES]
    assert [path for path in others if path.parts[0] != "support" and path.name != "conftest.py"] == []


def test_the_group_of_a_test_reaches_the_scheduler(request: pytest.FixtureRequest) -> None:
    """pytest-xdist hands out tests by the group that it has put behind their names."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("one process hands out no tests")  # scripts/test has several workers, so there it is asserted
    assert request.node.nodeid.endswith(f"@{Path(__file__).stem}")
