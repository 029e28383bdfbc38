"""The fleet file as it stands: takes its text, gives its clusters, each with the line above it that says where from."""

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.yaml import FleetFileError, parse_yaml
from kafka_fleet.base.yaml_lines import YamlLines
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.discover.blocks import waiting_ids

EMPTY = "version: 1\nclusters:\n"


class Listed(NamedTuple):
    """A cluster of the file. raw: as it was parsed; origin: the line above it that `discover` wrote, or None."""

    id: str
    raw: dict[str, Any]
    line: int
    origin: str | None


class FleetText(NamedTuple):
    """The file. waiting: ids of blocks that are comments; markers: all lines of `discover`, of those too."""

    path: Path
    text: str
    listed: list[Listed]
    waiting: set[str]
    markers: set[str]


def parse_text(text: str, path: Path) -> FleetText:
    """The clusters of a fleet file, also of one whose entries have mistakes. Raises UsageError where it is none."""
    try:
        content = parse_yaml(text, path)
    except FleetFileError as error:
        raise UsageError(str(error)) from error
    if content is None:  # nothing but comments
        text = text + ("" if not text or text.endswith("\n") else "\n") + EMPTY
        content = parse_yaml(text, path)
    if isinstance(content, dict) and "clusters" in content and content["clusters"] is None:
        content = {**content, "clusters": []}
    try:
        parse_fleet(content, str(path))
    except FleetFileError as error:
        raise UsageError(str(error)) from error
    entries = content["clusters"]
    lines, places = text.splitlines(), YamlLines(text)
    listed = []
    for number, entry in enumerate(entries):
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            line = places.line(("clusters", number))
            listed.append(Listed(entry["id"], entry, line, _origin(lines, line)))
    stripped = {line.strip() for line in lines}
    return FleetText(path, text, listed, waiting_ids(text), {one for one in stripped if one.startswith("# discover ")})


def _origin(lines: list[str], line: int) -> str | None:
    """The nearest line of `discover` in the comments right above an entry."""
    for text in reversed(lines[: line - 1]):
        stripped = text.strip()
        if not stripped.startswith("#") or stripped.startswith("# - id: "):
            return None
        if stripped.startswith("# discover "):
            return stripped
    return None


def list_indent(fleet: FleetText) -> int:
    """How far the entries of the list are indented: 2 where there are none. Raises UsageError for brackets."""
    node = yaml.compose(fleet.text, Loader=yaml.CSafeLoader)
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    found = next((value for key, value in pairs if key.value == "clusters"), None)
    if isinstance(found, yaml.SequenceNode) and found.flow_style:
        raise UsageError(f"{fleet.path}: clusters: a list in brackets cannot be appended to: write one entry a line")
    return int(found.start_mark.column) if isinstance(found, yaml.SequenceNode) else 2
