"""`benchmarks.every_test`: every lot runs by itself, one that fails fails the run, one that passed is not run again."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import every_test

TESTS = """
import pathlib
import pytest

def test_of_every_run():
    with pathlib.Path("ran").open("a") as file:
        file.write("every ")

@pytest.mark.sampled("good")
def test_good():
    with pathlib.Path("ran").open("a") as file:
        file.write("good ")

@pytest.mark.sampled("bad")
def test_bad():
    assert pathlib.Path("mended").exists()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  sampled: a lot\n")
    (tmp_path / "test_lots.py").write_text(TESTS)
    monkeypatch.setattr(every_test, "ROOT", tmp_path)
    monkeypatch.setattr(every_test, "PASSED", tmp_path / "build/lots.json")
    monkeypatch.setattr(every_test, "PYTEST", (sys.executable, "-m", "pytest", "-q", "-p", "support.sample"))
    monkeypatch.setattr(every_test, "WORKERS", ())
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return tmp_path


def test_a_run_goes_on_with_what_has_not_passed_on_the_commit(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(every_test, "commit", lambda _root: "abc")
    assert every_test.lots() == ["every-run", "bad", "good"]
    assert every_test.main([]) == 1
    assert "failed: bad" in capfd.readouterr().err
    assert set(json.loads((project / "build/lots.json").read_text())["lots"]) == {"every-run", "good"}
    (project / "mended").touch()
    assert every_test.main([]) == 0
    assert "good passed on this commit" in capfd.readouterr().out
    assert (project / "ran").read_text() == "every good "
    monkeypatch.setattr(every_test, "commit", lambda _root: "abc+")
    assert every_test.main(["good"]) == 0
    assert (project / "ran").read_text() == "every good good ", "files differ from the commit, so nothing is known"


def test_tests_that_cannot_be_collected_are_told(project: Path) -> None:
    (project / "test_lots.py").write_text("import nothing_of_this_name")
    with pytest.raises(ValueError, match="nothing_of_this_name"):
        every_test.lots()
