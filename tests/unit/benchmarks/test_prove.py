"""`scripts/prove`: a proof that fails is said to have failed, and what it printed as figures is kept."""

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import prove, pushed_clients
from benchmarks.stale_proofs import changed_since, warnings
from docs_generator import proof_pages
from docs_generator.proof_pages import Proof

HOLDS = "from benchmarks.measure import figure, gate; figure('hosts', 3); raise SystemExit(not gate('s', 1.5, 2, ' s'))"
FAILS = "from benchmarks.measure import gate; print('noise'); raise SystemExit(not gate('s', 3, 2, ' s'))"


def test_a_proof_that_fails_fails_the_run_and_each_result_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    known = {name: Proof(f"{name}.", [sys.executable, "-c", code], "nothing", 1, [])
             for name, code in (("holds", HOLDS), ("fails", FAILS))}  # fmt: skip
    for module in (prove, proof_pages):
        monkeypatch.setattr(module, "proofs", lambda: known)
    results = tmp_path / "results.json"
    monkeypatch.setattr(prove, "RESULTS", str(results))
    monkeypatch.setattr(proof_pages, "RESULTS", str(results))
    assert prove.main(["holds"]) == 0
    assert prove.main([]) == 1
    assert "failed: fails" in capfd.readouterr().err
    found = json.loads(results.read_text())
    assert {name: (one["result"], one["figures"]) for name, one in found.items()} == {
        "holds": ("passed", ["hosts: 3", "s: 1.50 s, at most 2 s"]),
        "fails": ("failed", ["s: 3.00 s, at most 2 s"]),
    }
    page = proof_pages.proof_page()
    assert "passed:" in page
    assert "hosts: 3" in page


def test_a_part_of_a_proof_is_run_and_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code = "import sys; print(sys.argv[1:]); sys.exit(len(sys.argv) > 3)"
    monkeypatch.setattr(prove, "proofs", lambda: {"one": Proof("One.", [sys.executable, "-c", code], "nothing", 1, [])})
    monkeypatch.setattr(prove, "RESULTS", str(tmp_path / "results.json"))
    assert prove.main(["one", "--part", "--only", "steady"]) == 0
    assert "['--only', 'steady']" in capfd.readouterr().out
    assert prove.main(["one", "--part", "--only", "steady", "--every"]) == 1
    assert not (tmp_path / "results.json").exists()
    with pytest.raises(SystemExit):
        prove.main(["--part", "--only", "steady"])


def test_a_proof_that_cannot_run_here_says_so_fails_nothing_and_leaves_its_last_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code = f"print('skipped: there is no Go'); raise SystemExit({prove.SKIPPED})"
    monkeypatch.setattr(prove, "proofs", lambda: {"one": Proof("One.", [sys.executable, "-c", code], "Go", 1, [])})
    monkeypatch.setattr(prove, "RESULTS", str(tmp_path / "results.json"))
    assert prove.main(["one"]) == 0
    assert "skipped: there is no Go\n== one: skipped" in capfd.readouterr().out
    assert not (tmp_path / "results.json").exists()


def test_pushed_metrics_are_skipped_without_go_and_without_a_prometheus(monkeypatch, capsys, tmp_path: Path) -> None:
    monkeypatch.delenv("FLEET_PROMETHEUS", raising=False)
    monkeypatch.setattr("support.live.go_programs.default_root", lambda: tmp_path / "kafka")
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "go" else f"/usr/bin/{name}")
    assert pushed_clients.main() == prove.SKIPPED
    assert capsys.readouterr().out.startswith(
        "skipped: Go is not installed, with which Prometheus is built, and FLEET_PROMETHEUS names none"
    )
    monkeypatch.setenv("FLEET_PROMETHEUS", str(tmp_path / "prometheus"))
    assert pushed_clients.program() == tmp_path / "prometheus"


def test_every_proof_is_a_command_that_is_there() -> None:
    for name, proof in proof_pages.proofs().items():
        program, *words = proof.command
        module = words[1] if words[:1] == ["-m"] else None
        there = find_spec(module) is not None if module else (prove.ROOT / program).is_file()
        assert there, name
        assert proof.shows.endswith("."), name


def test_an_unknown_proof_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        prove.main(["nonesuch"])
    assert ended.value.code == 2
    assert "no such proof: nonesuch; known: " in capsys.readouterr().err


def test_every_result_names_its_commit_and_every_proof_the_code_that_it_speaks_of() -> None:
    """A result that is older than its code is a warning of `--list`, and fails nothing."""
    for name, proof in proof_pages.proofs().items():
        assert proof.paths, name
        assert [one for one in proof.paths if not (prove.ROOT / one).exists()] == [], name
    for name, result in proof_pages.recorded().items():
        assert re.fullmatch(r"[0-9a-f]{10}\+?", result["commit"] or ""), name


def git(root: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def test_a_result_is_stale_once_a_path_of_its_proof_has_changed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for name in ("a/x", "a/y", "b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    first = git(tmp_path, "rev-parse", "--short=10", "HEAD")
    known = {"one": Proof("One.", ["x"], "nothing", 1, ["a"]), "other": Proof("Two.", ["x"], "nothing", 1, ["b"])}
    results = {name: {"commit": f"{first}+"} for name in known}
    assert warnings(tmp_path, known, results) == []
    (tmp_path / "a/y").write_text("2")
    git(tmp_path, "commit", "-qam", "second")
    assert warnings(tmp_path, known, results) == [f"stale: one: changed since {first}+: a/y"]
    assert warnings(tmp_path, known, {"one": {"commit": git(tmp_path, "rev-parse", "HEAD")}}) == []
    (unknown,) = warnings(tmp_path, known, {"one": {"commit": "0123456789"}})
    assert unknown == "stale: one: whether its code changed since 0123456789 is not known here"
    assert changed_since(tmp_path / "a", first, ["a"]) is None


def test_what_changed_since_a_result_stands_with_that_result_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"one": Proof("One.", ["x"], "nothing", 1, ["a"], {"0123456789": "It is otherwise now."})}
    monkeypatch.setattr(proof_pages, "proofs", lambda: known)
    for commit, there in (("0123456789", True), ("9876543210", False)):
        result = {"result": "passed", "figures": [], "seconds": 1, "on": "2026-11-25", "commit": commit}
        monkeypatch.setattr(proof_pages, "recorded", lambda result=result: {"one": result})
        assert ("It is otherwise now." in proof_pages.proof_page()) is there
