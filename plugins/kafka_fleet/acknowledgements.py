"""Acknowledged findings: takes the file beside the fleet file, gives its entries, and says of each whether it holds.

    version: 1
    acknowledgements:
      - cluster: payments-eu
        advisory: KAFKA-14334                  # or a symptom that no advisory explains: `signature` and `cause`
        reason: Upgrade is planned for the January window, change 4711.
        owner: oncall@example.org
        acknowledged: 2026-11-20               # what stands below was so on this day
        expires: 2027-01-31
        verdict: confirmed
        severity: high
        release: 3.3.1
        subjects: [broker 2, topic orders]
        basis: [replica.selector.class is RackAwareReplicaSelector]

An acknowledgement hides nothing. It holds until it expires, and no longer than the finding is as it was: a worse
verdict or severity, a wider scope, another release or another setting that the exposure rests on reopens it.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kafka_fleet.fleet_yaml import FleetFileError, load_yaml, parse_yaml
from kafka_fleet.inventory import Email, Slug
from kafka_fleet.knowledge.advisories import Severity, severity_rank
from kafka_fleet.knowledge.briefs import RANK, key_of, wider
from kafka_fleet.mistakes import told
from kafka_fleet.store.files import update_file

NAME = "acknowledgements.yaml"
LONGEST = timedelta(days=366)
Text = Annotated[str, Field(min_length=1, max_length=500)]
Name = Annotated[str, Field(min_length=1, max_length=40_000)]  # Kafka takes group ids of 32 KiB


class Acknowledgement(BaseModel):
    """One entry of the file. Scope and basis are those of the finding on the day `acknowledged`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    cluster: Slug
    advisory: Text | None = None
    signature: Text | None = None
    cause: Text | None = None
    reason: Annotated[str, Field(min_length=10, max_length=500)]
    owner: Email
    acknowledged: date
    expires: date
    verdict: Literal["confirmed", "look_alike", "exposed", "unknown"]
    severity: Severity | None = None
    release: Text | None = None
    subjects: tuple[Name, ...] | None = None
    basis: tuple[Name, ...] | None = None

    @model_validator(mode="after")
    def _fits(self) -> "Acknowledgement":
        if (self.advisory is None) == (self.signature is None) or (self.signature is None) != (self.cause is None):
            raise ValueError("names an advisory, or a signature with its cause")
        if not timedelta(0) <= self.expires - self.acknowledged <= LONGEST:
            raise ValueError("expires at least on the day it was made and at most a year later")
        return self

    @property
    def key(self) -> str:
        """Which finding of the cluster it is about."""
        return key_of({"advisory": self.advisory, "signature": self.signature, "cause": self.cause})


class Acknowledgements(NamedTuple):
    """The valid entries, and a sentence for each other one by its cluster; None where that is not known."""

    entries: list[Acknowledgement]
    faults: list[tuple[str | None, str]]


def beside(fleet_file: Path) -> Path:
    """The file's place."""
    return fleet_file.with_name(NAME)


def _read(content: Any, path: Path) -> Acknowledgements:
    """The entries in the parsed file. Raises FleetFileError when it is no such file at all."""
    if not isinstance(content, dict) or content.get("version") != 1 or set(content) - {"version", "acknowledgements"}:
        raise FleetFileError(str(path), "must be a mapping with version: 1 and a list of acknowledgements")
    listed = content.get("acknowledgements") or []
    if not isinstance(listed, list):
        raise FleetFileError(str(path), "acknowledgements: must be a list")
    entries: dict[tuple[str, str], Acknowledgement] = {}
    faults: list[tuple[str | None, str]] = []
    for number, raw in enumerate(listed, start=1):
        name = raw.get("cluster") if isinstance(raw, dict) and isinstance(raw.get("cluster"), str) else None
        try:
            one = Acknowledgement.model_validate(raw)
        except ValidationError as error:
            faults += [(name, f"{path.name}: entry {number}: {sentence}") for sentence in told(error, "entry")]
            continue
        if (one.cluster, one.key) in entries:
            faults.append((name, f"{path.name}: entry {number}: {one.key} of {one.cluster} has an earlier entry"))
        entries.setdefault((one.cluster, one.key), one)
    return Acknowledgements(list(entries.values()), faults)


def load(path: Path) -> Acknowledgements:
    """Read the file; where there is none nothing is acknowledged.

    A broken entry costs only itself, a file that cannot be parsed only what it acknowledges: no cluster its letter.
    """
    if not path.exists():
        return Acknowledgements([], [])
    try:
        return _read(load_yaml(path), path)
    except FleetFileError as error:
        return Acknowledgements([], [(None, str(error).removeprefix(f"{path.parent}/"))])  # letters name no folder


def reopened(one: Acknowledgement, row: Mapping[str, Any], ds: str) -> str | None:
    """Why an acknowledgement does not hold for a finding, a row of a brief, on a day; None where it does."""
    if date.fromisoformat(ds) > one.expires:
        return f"It was acknowledged until {one.expires}."
    if RANK[row["verdict"]] > RANK[one.verdict]:
        return f"It was acknowledged as {one.verdict.replace('_', '-')}."
    if one.severity is not None and severity_rank(row["severity"]) < severity_rank(one.severity):
        return f"It was acknowledged with severity {one.severity}."
    if one.release is not None and row["release"] is not None and row["release"] != one.release:
        return f"It was acknowledged for release {one.release}."
    more = wider(one.subjects, row["subjects"]) if one.subjects is not None else []
    if more:
        return f"It was acknowledged without {', '.join(more[:6])}."
    changed = [text for text in row.get("basis", ()) if text not in one.basis] if one.basis is not None else []
    return f"A setting that it rests on is another one now: {changed[0]}." if changed else None


def of_finding(row: Mapping[str, Any], cluster: str, ds: str, reason: str, owner: str, expires: str) -> Acknowledgement:
    """A finding acknowledged as it stands in a day's brief. Raises ValueError for what the file would refuse."""
    named = {"advisory": row["advisory"]} if row["advisory"] else {k: row[k] for k in ("signature", "cause")}
    copied = {name: row[name] for name in ("verdict", "severity", "release", "subjects")}
    return Acknowledgement.model_validate(
        {**named, **copied, "cluster": cluster, "reason": reason, "owner": owner, "acknowledged": ds,
         "expires": expires, "basis": row.get("basis", [])}
    )  # fmt: skip


def standing(
    entries: Sequence[Acknowledgement], cluster: str, rows: Sequence[Mapping[str, Any]], ds: str
) -> dict[str, tuple[Acknowledgement, str | None]]:
    """Finding's key -> its acknowledgement, and why that does not hold on this day (None: it does)."""
    own = {one.key: one for one in entries if one.cluster == cluster}
    keyed = {key_of(row): row for row in rows}
    return {key: (own[key], reopened(own[key], row, ds)) for key, row in keyed.items() if key in own}


def add(path: Path, one: Acknowledgement) -> None:
    """Append an entry to the file, whose comments and order stay; rivals wait for each other.

    Raises FleetFileError where that cannot be: an entry for the finding is there, or the file is not to be appended to.
    """

    def change(found: bytes | None) -> bytes:
        before = "version: 1\nacknowledgements:\n" if found is None else found.decode("utf-8", "replace")
        there = _read(parse_yaml(before, path), path)
        if any((entry.cluster, entry.key) == (one.cluster, one.key) for entry in there.entries):
            raise FleetFileError(str(path), f"{one.key} of {one.cluster} has an entry; remove it first")
        fields = one.model_dump(mode="json", exclude_none=True)
        row = yaml.safe_dump([fields], sort_keys=False, allow_unicode=True, width=110)
        content = before.rstrip("\n") + "\n" + "".join(f"  {line}\n" for line in row.splitlines())
        try:
            if one in _read(parse_yaml(content, path), path).entries:
                return content.encode()
        except FleetFileError:
            pass  # its list is written in another style: `[]`, or less indented
        raise FleetFileError(str(path), "the entry cannot be appended; end the file with the list of acknowledgements")

    update_file(path, change, lock=path.parent)


def _last_line(node: yaml.Node) -> int:
    """The line on which the last of a node's text stands; comments after it belong to what follows."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        return max(_last_line(one) for one in (last if isinstance(last, tuple) else (last,)))
    mark = node.end_mark
    return mark.line if mark.column else max(node.start_mark.line, mark.line - 1)


def _entry_nodes(text: str) -> list[yaml.Node]:
    """The entries of a list that has one a line, else none."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    fields = root.value if isinstance(root, yaml.MappingNode) else []
    listed = next((value for key, value in fields if key.value == "acknowledgements"), None)
    return list(listed.value) if isinstance(listed, yaml.SequenceNode) and not listed.flow_style else []


def remove(path: Path, cluster: str, key: str) -> None:
    """Take a finding's entry out of the file, whose other lines stay; rivals wait for each other.

    Raises FleetFileError where there is none, or where the file is written so that it is to be taken out by hand.
    """

    def change(found: bytes | None) -> bytes:
        before = (found or b"version: 1\n").decode("utf-8", "replace")
        there = _read(parse_yaml(before, path), path).entries
        if not any((one.cluster, one.key) == (cluster, key) for one in there):
            raise FleetFileError(str(path), f"has no entry for {key} of {cluster}")
        listed, nodes = parse_yaml(before, path)["acknowledgements"], _entry_nodes(before)
        lines, gone = before.splitlines(keepends=True), set[int]()
        for raw, node in zip(listed, nodes, strict=bool(nodes)):
            # an entry that is hidden behind an earlier one would stand in its place
            if isinstance(raw, dict) and raw.get("cluster") == cluster and key_of(_named(raw)) == key:
                gone |= set(range(node.start_mark.line, _last_line(node) + 1))
        content = "".join(line for number, line in enumerate(lines) if number not in gone)
        rest = [one for one in there if (one.cluster, one.key) != (cluster, key)]
        try:
            if _read(parse_yaml(content, path), path).entries == rest:
                return content.encode()
        except FleetFileError:
            pass  # its list is written in one line, or an entry beside the dash of another
        raise FleetFileError(str(path), f"the entry for {key} of {cluster} cannot be cut out; take it out by hand")

    update_file(path, change, lock=path.parent)


def _named(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {name: raw.get(name) for name in ("advisory", "signature", "cause")}
