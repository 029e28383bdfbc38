"""The image's lock: of the whole lock exactly what the program needs to run, and nothing of its development."""

import re
import tomllib
from collections.abc import Collection, Iterable
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[3]
IMAGE = {"postgres", "s3", "slack", "pagerduty", "jira", "build"}  # extras of pyproject.toml
NEVER = {"pyspark-client"}  # it unpacks over pyspark


def entries(name: str) -> dict[str, tuple[Requirement, set[str]]]:
    """By name and version: the entry without its hashes, and these."""
    found = re.split(r"\n(?=[a-z0-9])", (ROOT / name).read_text(encoding="utf-8"))
    locked = [
        (Requirement(one.split("\\\n")[0]), set(re.findall(r"sha256:\w{64}", one))) for one in found if one[0] != "#"
    ]
    return {f"{canonicalize_name(one.name)}{one.specifier}": (one, hashes) for one, hashes in locked}


def needed(texts: Iterable[str], extras: Collection[str], seen: dict[str, set[str]]) -> None:
    """Add to `seen` what these requirements ask for here, and what that asks for: extras by name."""
    for one in map(Requirement, texts):
        name = canonicalize_name(one.name)
        if name in NEVER or (one.marker and not any(one.marker.evaluate({"extra": extra}) for extra in ("", *extras))):
            continue
        before = seen.get(name)
        seen[name] = (before or set()) | one.extras
        if seen[name] != before:
            needed(requires(name) or (), seen[name], seen)


def test_it_has_the_packages_and_hashes_of_the_whole_lock():
    everything, image = entries("requirements.lock"), entries("requirements.runtime.lock")
    assert {name: hashes for name, (_, hashes) in image.items()} == {name: everything[name][1] for name in image}


def test_it_is_what_the_program_needs_to_run_and_no_more():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *(one for extra in IMAGE for one in project["optional-dependencies"][extra])]
    seen: dict[str, set[str]] = {}
    needed(asked, (), seen)
    locked = [one for one, _ in entries("requirements.runtime.lock").values()]
    assert {canonicalize_name(one.name) for one in locked if not one.marker or one.marker.evaluate()} == set(seen)
    assert not {"pytest", "mypy", "moto", "playwright", "duckdb", "polars", "sqlfluff", "ruff", "aiosmtpd"} & set(seen)


def test_both_locks_are_made_by_the_documented_commands():
    text = re.sub(r" \\\n +", " ", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    commands = re.findall(r"^uv pip compile .* -o (requirements\S*)$", text, re.MULTILINE)
    assert commands == ["requirements.lock", "requirements.runtime.lock"]
    for line in re.findall(r"^uv pip compile .*$", text, re.MULTILINE):
        assert f"#    {line}" in (ROOT / line.split()[-1]).read_text(encoding="utf-8")


def test_the_image_is_made_of_it():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "-r requirements.runtime.lock" in lines
    assert "requirements.lock" not in lines
