"""The architecture page names the packages in the order that import-linter holds; the glossary stays short."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_WORDS = 25


def rows(page: str) -> list[list[str]]:
    """Cells of all rows of a page's tables."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]


def test_packages_are_named_in_the_order_of_the_layers():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    named = [
        found[1]
        for first, *_ in rows("architecture.md")
        if (found := re.fullmatch(r"`((?:fleet_|kafka_)[\w.]+)`", first))
    ]
    assert named == contract["layers"]


def test_every_package_is_a_layer():
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][
        0
    ]["layers"]
    library = ROOT / "plugins" / "kafka_fleet"
    there = {f"kafka_fleet.{path.parent.name}" for path in library.glob("*/__init__.py")}
    assert there == {layer for layer in layers if (library / layer.rpartition(".")[2] / "__init__.py").exists()}


def test_the_glossary_has_few_words_in_order():
    words = [first for first, *_ in rows("glossary.md") if first not in ("Word", "---")]
    assert words == sorted(words, key=str.casefold)
    assert 10 < len(words) <= MOST_WORDS
