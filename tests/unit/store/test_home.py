"""Paths of a home: where everything lies, with names that are refused, and that no other module builds one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from upath import UPath

from kafka_fleet.store.home import Home
from kafka_fleet.store.home_beside import Packs, Replay, issues_of
from kafka_fleet.store.home_names import (
    PUBLISHED,
    STAGES,
    below_home,
    data_name,
    day_of,
    days_in,
    is_commit,
    manifest_name,
    raw_name,
    retired_name,
)
from kafka_fleet.store.raw.layout import raw_location

ROOT = Path(__file__).resolve().parents[3]
DS, SWEEP = "2026-09-14", "20260914T120000.000000Z"
OWN = {"home.py", "home_beside.py", "home_names.py", "layout.py"}  # layout.py reads paths that a commit names
ROUTE = re.compile(r"/\w+/\{\w+\}")  # an address of the page
BUILT = re.compile(rf"(^|[^a-z])ds=|^/?(raw|{'|'.join(STAGES)})/[^`]*$|^(_current|_mailed)\.json$")
FILES = re.compile(r"(raw|facts|findings|signatures|reports|outbox|runs|replays)(/.*)?|(findings|summary)\.json")


def test_documents_of_a_generation_lie_where_earlier_versions_put_them():
    one = Home(Path("/h")).generation(DS, "g0002")
    found = {
        one.finding_list: "findings/ds=2026-09-14/g0002/findings.json",
        one.summary: "findings/ds=2026-09-14/g0002/summary.json",
        one.set_aside: "findings/ds=2026-09-14/g0002/set_aside.json",
        one.knowledge: "findings/ds=2026-09-14/g0002/knowledge.json",
        Packs(Path("/h")).pack("1.2"): "knowledge/1.2",
        Packs(Path("/h")).pointer: "knowledge/_current.json",
        issues_of(Path("/h"), "a"): "outbox/_issues-a.json",
        one.cluster("a"): "findings/ds=2026-09-14/g0002/clusters/a.json",
        one.verdict("a"): "findings/ds=2026-09-14/g0002/verdicts/a.json",
        one.plots("a"): "findings/ds=2026-09-14/g0002/plots/a.json",
        one.signatures: "signatures/ds=2026-09-14/g0002/signatures.json",
        one.letter("a", "html"): "reports/ds=2026-09-14/g0002/a.html",
        one.claim: "runs/ds=2026-09-14/g0002",
        one.run: "runs/ds=2026-09-14/g0002.json",
        one.fleet: "runs/ds=2026-09-14/g0002.fleet",
        one.day.facts("counters"): "facts/counters/ds=2026-09-14",
        one.day.mails("a"): "outbox/ds=2026-09-14/a.json",
        one.day.mailed: "outbox/ds=2026-09-14/_mailed.json",
        Replay(one.day.home.replay("r0001")).asked: "replays/r0001/replay.json",
        Replay(one.day.home.replay("r0001")).timelines: "replays/r0001/timelines.json",
    }
    assert {str(path.relative_to("/h")): name for path, name in found.items()} == {n: n for n in found.values()}


def test_files_of_raw_lie_where_earlier_versions_put_them():
    assert manifest_name(DS, "a", SWEEP) == f"raw/manifests/ds=2026-09-14/a.{SWEEP}.json"
    assert data_name("topics", DS, "a", SWEEP) == f"raw/topics/ds=2026-09-14/a.{SWEEP}.parquet"
    assert raw_name("topics", DS, "a.joined0.parquet") == "raw/topics/ds=2026-09-14/a.joined0.parquet"
    assert retired_name(DS) == "raw/retired/ds=2026-09-14.json"
    home = Home(Path("/h"))
    assert home.joined_commit(DS, "a") == Path("/h/raw/joined/ds=2026-09-14/a.json")
    assert home.manifests(DS) / f"a.{SWEEP}.json" == Path("/h") / manifest_name(DS, "a", SWEEP)
    assert home.latest("a") == Path("/h/raw/latest/a")
    assert home.retired / f"ds={DS}.json" == Path("/h") / retired_name(DS)


def test_readers_of_raw_know_every_name_that_is_made():
    names = [manifest_name(DS, "a", SWEEP), data_name("topics", DS, "a", SWEEP), raw_name("joined", DS, "a.json")]
    assert all(raw_location(name) for name in names)
    assert [is_commit(name) for name in names] == [True, False, True]


def test_a_path_keeps_the_type_of_the_home():
    bucket = Home(UPath("memory://fleet/home"))
    assert type(bucket.generation(DS, "g0001").summary) is type(bucket.root)
    assert str(bucket.manifests(DS)).endswith("/home/raw/manifests/ds=2026-09-14")
    assert below_home(bucket.generation(DS, "g0001").summary) == "findings/ds=2026-09-14/g0001/summary.json"


@pytest.mark.parametrize("ds", ["", "2026-9-1", "2026-02-30", "../../etc", "2026-09-14/.."])
def test_what_is_no_day_becomes_no_path(ds):
    home = Home(Path("/h"))
    for make in (home.day, home.manifests, home.joined, home.raw_files, retired_name):
        with pytest.raises(ValueError, match="is no date"):
            make(ds)


@pytest.mark.parametrize("name", ["", "g1", "..", "g0001/..", "latest"])
def test_what_is_no_generation_becomes_no_path(name):
    with pytest.raises(ValueError, match="is no generation"):
        Home(Path("/h")).generation(DS, name)


def test_days_of_a_folder_are_those_of_the_calendar_within_both_bounds(tmp_path):
    for name in ("ds=2026-09-16", "ds=2026-09-14", "ds=2026-02-30", "ds=2026-09-15", "ds=x", "2026-09-14", ".ds=1.tmp"):
        (tmp_path / name).mkdir()
    assert days_in(tmp_path) == ["2026-09-14", "2026-09-15", "2026-09-16"]
    assert days_in(tmp_path, "2026-09-15") == ["2026-09-15", "2026-09-16"]
    assert days_in(tmp_path, "2026-09-14", "2026-09-15") == ["2026-09-14", "2026-09-15"]
    assert days_in(tmp_path / "none") == []
    assert day_of("ds=2026-09-14") == "2026-09-14"


def test_published_stages_are_stages():
    assert set(PUBLISHED) < set(STAGES)


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Texts of a module that are no docstrings, with their lines."""
    said = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def _built(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place = path.relative_to(ROOT)
    yield from (
        f"{place}:{line}: {text!r}" for line, text in _strings(tree) if BUILT.search(text) and not ROUTE.fullmatch(text)
    )
    for node in ast.walk(tree):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            continue
        left, right = ast.unparse(node.left), getattr(node.right, "value", None)
        # folders of the program's queries have the names of stages
        if isinstance(right, str) and FILES.fullmatch(right) and "sql" not in left:
            yield f"{place}:{node.lineno}: / {right!r}"


@pytest.mark.parametrize("folder", ["plugins", "spark", "dags", "docs", "benchmarks", "demo"])
def test_nothing_else_builds_a_path_of_a_home(folder):
    modules = [path for path in sorted((ROOT / folder).rglob("*.py")) if path.name not in OWN]
    assert modules
    assert [line for path in modules for line in _built(path)] == []


def test_a_path_that_is_built_by_hand_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    path = tmp_path / "hand.py"
    for line in ('home / f"findings/ds={ds}/x"', 'home / "raw/manifests"', 'f / "summary.json"', 'x / "_current.json"'):
        path.write_text(f'"""Of ds=D."""\n{line}\n')
        assert list(_built(path)), line
    path.write_text('"""findings/ds=D/"""\nsql / "facts"\n')
    assert not list(_built(path))
