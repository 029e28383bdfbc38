"""Changes of the acknowledgements: takes the file and an entry, appends it or takes it out; all other lines stay.

What would make the file unreadable, or let one cluster take its room, is refused before anything is written.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from kafka_fleet.base.edited_files import NotOurs, edit_file
from kafka_fleet.base.yaml import FleetFileError, parse_yaml
from kafka_fleet.config.acknowledgement_limits import CLUSTER_BYTES, FILE_BYTES, MOST_OF_CLUSTER
from kafka_fleet.config.acknowledgements import Acknowledgement, read_parsed
from kafka_fleet.domain import symptom_key


def _edit(path: Path, change: Callable[[bytes | None], bytes]) -> None:
    try:
        edit_file(path, change)
    except NotOurs as error:
        raise FleetFileError(str(path), f"is not written: {error.strerror}") from error


def _text(found: bytes, path: Path) -> str:
    try:
        return found.decode()
    except UnicodeDecodeError as error:
        raise FleetFileError(str(path), f"is not UTF-8 text (byte {error.start})") from error


def _room(path: Path, entries: Sequence[Acknowledgement], cluster: str) -> None:
    """Refuse what is too much of one cluster."""
    own = [one for one in entries if one.cluster == cluster]
    size = sum(len(one.model_dump_json(exclude_none=True).encode()) for one in own)
    if len(own) > MOST_OF_CLUSTER or size > CLUSTER_BYTES:
        most = f"{MOST_OF_CLUSTER} entries or {CLUSTER_BYTES // 2**20} MiB"
        raise FleetFileError(str(path), f"would have more than {most} of {cluster}; remove some of them first")


def add_acknowledgement(path: Path, one: Acknowledgement) -> None:
    """Append an entry to the file, whose comments and order stay; concurrent writers wait for each other.

    Raises FleetFileError where that cannot be: an entry for the finding is there, or the file is not to be appended to.
    """

    def change(found: bytes | None) -> bytes:
        before = "version: 1\nacknowledgements:\n" if found is None else _text(found, path)
        there = read_parsed(parse_yaml(before, path), path)
        if any((entry.cluster, entry.key) == (one.cluster, one.key) for entry in there.entries):
            raise FleetFileError(str(path), f"{one.key} of {one.cluster} has an entry; remove it first")
        fields = one.model_dump(mode="json", exclude_none=True)
        row = yaml.safe_dump([fields], sort_keys=False, allow_unicode=True, width=110)
        content = before.rstrip("\n") + "\n" + "".join(f"  {line}\n" for line in row.splitlines())
        if len(content.encode()) > FILE_BYTES:
            raise FleetFileError(str(path), f"would be larger than {FILE_BYTES // 2**20} MiB; remove entries first")
        _room(path, [*there.entries, one], one.cluster)
        try:
            if one in read_parsed(parse_yaml(content, path), path).entries:
                return content.encode()
        except FleetFileError:
            pass  # its list is written in another style: `[]`, or less indented; or it has too many values
        raise FleetFileError(str(path), "the entry cannot be appended; end the file with the list of acknowledgements")

    _edit(path, change)


def _last_line(node: yaml.Node) -> int:
    """The line on which the last of a node's text stands; comments after it belong to what follows."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        return max(_last_line(one) for one in (last if isinstance(last, tuple) else (last,)))
    mark = node.end_mark
    return mark.line if mark.column else max(node.start_mark.line, mark.line - 1)


def _entry_nodes(text: str) -> list[yaml.Node]:
    """The entries of a list that has one a line, else none; none as well of a text with tabs in its values."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.scanner.ScannerError:
        return []  # libyaml, which read it, takes tabs where this scanner does not
    fields = root.value if isinstance(root, yaml.MappingNode) else []
    listed = next((value for key, value in fields if key.value == "acknowledgements"), None)
    return list(listed.value) if isinstance(listed, yaml.SequenceNode) and not listed.flow_style else []


def remove_acknowledgement(path: Path, cluster: str, key: str) -> None:
    """Take a finding's entry out of the file, whose other lines stay; concurrent writers wait for each other.

    Raises FleetFileError where there is none, or where the file is written so that it is to be taken out by hand.
    """

    def change(found: bytes | None) -> bytes:
        before = _text(found or b"version: 1\n", path)
        there = read_parsed(parse_yaml(before, path), path).entries
        if not any((one.cluster, one.key) == (cluster, key) for one in there):
            raise FleetFileError(str(path), f"has no entry for {key} of {cluster}")
        listed, nodes = parse_yaml(before, path)["acknowledgements"], _entry_nodes(before)
        lines, gone = before.splitlines(keepends=True), set[int]()
        for raw, node in zip(listed, nodes, strict=bool(nodes)):
            # an entry that is hidden behind an earlier one would stand in its place
            if isinstance(raw, dict) and raw.get("cluster") == cluster and _key(raw) == key:
                gone |= set(range(node.start_mark.line, _last_line(node) + 1))
        content = "".join(line for number, line in enumerate(lines) if number not in gone)
        rest = [one for one in there if (one.cluster, one.key) != (cluster, key)]
        try:
            if read_parsed(parse_yaml(content, path), path).entries == rest:
                return content.encode()
        except FleetFileError:
            pass  # its list is written in one line, or an entry beside the dash of another
        raise FleetFileError(str(path), f"the entry for {key} of {cluster} cannot be cut out; take it out by hand")

    _edit(path, change)


def _key(raw: Mapping[str, Any]) -> str:
    """The finding's key of an entry as it was parsed."""
    return str(raw.get("advisory") or symptom_key(raw.get("signature"), raw.get("cause")))
