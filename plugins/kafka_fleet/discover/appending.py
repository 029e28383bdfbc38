"""New blocks at the end of a fleet file: takes its path and what makes them, writes the file whole or leaves it.

What is there stays byte for byte: the new content begins with the old one. Concurrent writers wait for each other.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from kafka_fleet.base.edited_files import NotOurs, edit_file
from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.yaml import FleetFileError, parse_yaml
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.discover.blocks import Block
from kafka_fleet.discover.fleet_text import EMPTY, FleetText, list_indent, parse_text


def blocks_text(blocks: Sequence[Block], indent: int) -> str:
    """The blocks, with an empty line before each."""
    return "".join("\n" + "".join(f"{' ' * indent}{line}\n" for line in one.lines) for one in blocks)


def _checked(fleet: FleetText, content: str, blocks: Sequence[Block]) -> None:
    """Refuse what would not read as the old clusters and the new ones."""
    complete = [one.entry for one in blocks if one.complete]
    try:
        before, after = parse_yaml(fleet.text, fleet.path), parse_yaml(content, fleet.path)
        expected = (
            {**before, "clusters": [*(before["clusters"] or []), *complete]}
            if before["clusters"] or complete
            else before
        )
        known = {str(one._replace(line=None)) for one in _errors(before, fleet.path)}
        if after == expected and {str(one._replace(line=None)) for one in _errors(after, fleet.path)} <= known:
            return
    except (FleetFileError, KeyError, TypeError):
        pass  # its list is written in another style, or something stands behind it
    raise UsageError(f"{fleet.path}: the blocks cannot be appended; end the file with the list of clusters")


def _errors(content: dict[str, object], path: Path) -> list:  # type: ignore[type-arg]
    return parse_fleet(content, str(path)).errors if content.get("clusters") else []


def append_blocks(path: Path, made: Callable[[FleetText], Sequence[Block]]) -> FleetText:
    """Append what `made` gives for the file as it stands; a file that is not there is made where there is something.

    Gives the file as it stood. Raises UsageError where nothing can be appended; then the file is as it was.
    """
    stood: list[FleetText] = []

    def change(found: bytes | None) -> bytes:
        try:
            text = EMPTY if found is None else found.decode()
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: is not UTF-8 text (byte {error.start})") from error
        fleet = parse_text(text, path)
        stood.append(fleet)
        blocks = made(fleet)
        if not blocks:
            raise _Nothing
        content = fleet.text + ("" if fleet.text.endswith("\n") else "\n") + blocks_text(blocks, list_indent(fleet))
        _checked(fleet, content, blocks)
        return content.encode()

    try:
        edit_file(path, change)
    except _Nothing:
        pass
    except NotOurs as error:
        raise UsageError(f"{path}: is not written: {error.strerror}") from error
    return stood[0]


class _Nothing(Exception):
    """There is nothing to append: the file is left alone."""
