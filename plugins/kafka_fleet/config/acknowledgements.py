"""Acknowledged findings: takes the file beside the fleet file, gives its entries, and says of each whether it holds.

    version: 1
    acknowledgements:
      - cluster: payments-eu
        advisory: KAFKA-14334                  # or a symptom that no advisory explains: `signature` and `cause`
        reason: Upgrade is planned for the January window, change 4711.
        owner: oncall@example.org
        acknowledged_by: Airflow user alice    # who had it written; none in entries that people write
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

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from kafka_fleet.base.validation_errors import describe_errors
from kafka_fleet.base.yaml import FleetFileError, load_yaml
from kafka_fleet.config.acknowledgement_entries import Broken, entries_apart
from kafka_fleet.config.acknowledgement_limits import as_kept, kept_subjects, limited_text
from kafka_fleet.config.field_types import Email, Slug
from kafka_fleet.domain import VERDICT_RANK, Named, Severity, Verdict, added_subjects, finding_key, severity_rank

NAME = "acknowledgements.yaml"
LONGEST = timedelta(days=366)
Text = Annotated[str, Field(min_length=1, max_length=500)]
# Kafka takes group ids of 32 KiB, which earlier versions wrote whole
Name = Annotated[str, Field(min_length=1, max_length=40_000), AfterValidator(as_kept)]
Names = Annotated[tuple[Name, ...], Field(max_length=1_000)]


class Acknowledgement(BaseModel):
    """One entry of the file. Scope and basis are those of the finding on the day `acknowledged`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    cluster: Slug
    advisory: Text | None = None
    signature: Text | None = None
    cause: Text | None = None
    reason: Annotated[str, Field(min_length=10, max_length=500)]
    owner: Email
    acknowledged_by: Text | None = None
    acknowledged: date
    expires: date
    verdict: Literal["confirmed", "look_alike", "exposed", "unknown"]
    severity: Severity | None = None
    release: Text | None = None
    subjects: Names | None = None
    basis: Names | None = None

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
        return finding_key(self)


class Acknowledged(Named, Protocol):
    """A finding as it stands on a day: a row of the cluster's summary."""

    @property
    def verdict(self) -> Verdict:
        """Its verdict."""

    @property
    def severity(self) -> Severity | None:
        """Its severity."""

    @property
    def release(self) -> str | None:
        """The releases that it is about."""

    @property
    def subjects(self) -> Sequence[str]:
        """Where it is."""

    @property
    def basis(self) -> Sequence[str]:
        """The settings that its exposure rests on."""


class Acknowledgements(NamedTuple):
    """The valid entries, and a sentence for each other one by its cluster; None where that is not known."""

    entries: list[Acknowledgement]
    faults: list[tuple[str | None, str]]


def acknowledgements_path(fleet_file: Path) -> Path:
    """The file's place."""
    return fleet_file.with_name(NAME)


def read_parsed(content: Any, path: Path) -> Acknowledgements:
    """The entries in the parsed file. Raises FleetFileError when it is no such file at all."""
    if not isinstance(content, dict) or content.get("version") != 1 or set(content) - {"version", "acknowledgements"}:
        raise FleetFileError(str(path), "must be a mapping with version: 1 and a list of acknowledgements")
    listed = content.get("acknowledgements") or []
    if not isinstance(listed, list):
        raise FleetFileError(str(path), "acknowledgements: must be a list")
    entries: dict[tuple[str, str], Acknowledgement] = {}
    faults: list[tuple[str | None, str]] = []
    for number, raw in enumerate(listed, start=1):
        if isinstance(raw, Broken):
            faults.append((raw.cluster, f"{path.name}: entry {number}: {raw.sentence}"))
            continue
        name = raw.get("cluster") if isinstance(raw, dict) and isinstance(raw.get("cluster"), str) else None
        try:
            one = Acknowledgement.model_validate(raw)
        except ValidationError as error:
            faults += [
                (name, f"{path.name}: entry {number}: {sentence}") for sentence in describe_errors(error, "entry")
            ]
            continue
        if (one.cluster, one.key) in entries:
            faults.append((name, f"{path.name}: entry {number}: {one.key} of {one.cluster} has an earlier entry"))
        entries.setdefault((one.cluster, one.key), one)
    return Acknowledgements(list(entries.values()), faults)


def load_acknowledgements(path: Path) -> Acknowledgements:
    """Read the file; where there is none nothing is acknowledged.

    An entry that is broken, or too large, costs only itself: what cannot be parsed as a whole is parsed entry by entry.
    A file that is no list of entries costs only what it acknowledges: no cluster its letter.
    """
    if not path.exists() and not path.is_symlink():
        return Acknowledgements([], [])
    try:
        if not path.is_file():
            raise FleetFileError(str(path), "is no file")  # a pipe would be waited for
        try:
            return read_parsed(load_yaml(path), path)
        except FleetFileError:
            apart = entries_apart(path)
            if apart is None:
                raise
            return read_parsed({"version": 1, "acknowledgements": apart}, path)
    except FleetFileError as error:
        return Acknowledgements([], [(None, str(error).removeprefix(f"{path.parent}/"))])  # letters name no folder


def reopen_reason(one: Acknowledgement, row: Acknowledged, ds: str) -> str | None:
    """Why an acknowledgement does not hold for a finding, on a day; None where it does."""
    if date.fromisoformat(ds) > one.expires:
        return f"It was acknowledged until {one.expires}."
    if VERDICT_RANK[row.verdict] > VERDICT_RANK[one.verdict]:
        return f"It was acknowledged as {one.verdict.replace('_', '-')}."
    if one.severity is not None and severity_rank(row.severity) < severity_rank(one.severity):
        return f"It was acknowledged with severity {one.severity}."
    if one.release is not None and row.release is not None and row.release != one.release:
        return f"It was acknowledged for release {one.release}."
    more = (
        added_subjects(one.subjects, [limited_text(text) for text in row.subjects]) if one.subjects is not None else []
    )
    if more:
        return f"It was acknowledged without {', '.join(more[:6])}."
    basis = [limited_text(text) for text in row.basis]
    changed = [text for text in basis if text not in one.basis] if one.basis is not None else []
    return f"A setting that it rests on is another one now: {changed[0]}." if changed else None


def of_finding(
    row: Acknowledged, cluster: str, ds: str, reason: str, owner: str, expires: str, by: str | None = None
) -> Acknowledgement:
    """A finding acknowledged as it stands on a day. by: who does it, as logged in.

    Raises ValueError for what the file would refuse.
    """
    named = {"advisory": row.advisory} if row.advisory else {"signature": row.signature, "cause": row.cause}
    copied = {"verdict": row.verdict, "severity": row.severity, "release": row.release}
    bounded = {
        "subjects": kept_subjects(row.subjects),
        "basis": [limited_text(text) for text in row.basis],
    }
    return Acknowledgement.model_validate(
        {**named, **copied, **bounded, "cluster": cluster, "reason": reason, "owner": owner, "acknowledged": ds,
         "expires": expires, "acknowledged_by": limited_text(by) if by else None}
    )  # fmt: skip


def acknowledgement_states(
    entries: Sequence[Acknowledgement], cluster: str, rows: Sequence[Acknowledged], ds: str
) -> dict[str, tuple[Acknowledgement, str | None]]:
    """Finding's key -> its acknowledgement, and why that does not hold on this day (None: it does)."""
    own = {one.key: one for one in entries if one.cluster == cluster}
    keyed = {finding_key(row): row for row in rows}
    return {key: (own[key], reopen_reason(own[key], row, ds)) for key, row in keyed.items() if key in own}
