"""The pictures of mechanisms, of signatures and of known issues: gives SVG files, and the line that shows one."""

from functools import cache

from docs_generator.markdown import escape
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.mechanisms import Mechanism, load_mechanisms
from kafka_fleet.report.mechanism_picture import mechanism_svg

FOLDER = "docs/mechanisms"


@cache
def drawn() -> dict[str, Mechanism]:
    """Every mechanism that is drawn, by the id of its signature or known issue."""
    issues = {name: one.drawn for name, one in load_advisories().items() if one.drawn is not None}
    return {**load_mechanisms(), **issues}


def mechanism_files() -> dict[str, str]:
    """Text of every picture by its path."""
    return {f"{FOLDER}/{name}.svg": mechanism_svg(name, one) for name, one in drawn().items()}


def shown(*names: str | None) -> str:
    """The picture of the first of these that has one, on a page one folder below docs/; empty where none has."""
    found = next((name for name in names if name in drawn()), None)
    return f"![{escape(drawn()[found].about)}](../mechanisms/{found}.svg)" if found else ""
