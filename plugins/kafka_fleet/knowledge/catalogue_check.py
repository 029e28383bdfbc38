"""All catalogues at once: reads known issues, signatures, conditions, plots and marts, gives every fault of any file.

What a file says by itself its own loader checks; here is also what one file says of another.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.base.catalogue_faults import fault
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.validation_errors import unknown_name
from kafka_fleet.base.yaml import load_yaml
from kafka_fleet.knowledge.advisories import Advisory, AdvisoryError, issues_folder, load_advisories
from kafka_fleet.knowledge.catalogue_folders import CatalogueError
from kafka_fleet.knowledge.conditions import WORDS, Condition, asked_by, load_conditions
from kafka_fleet.knowledge.mechanisms import FILE as MECHANISM
from kafka_fleet.knowledge.mechanisms import Mechanism, load_mechanisms
from kafka_fleet.knowledge.plots import load_plots
from kafka_fleet.knowledge.predicates import MeasuredCondition
from kafka_fleet.knowledge.signatures import WORDS as SIGNATURE
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.schema.marts import MartError, load_marts


class Checked(NamedTuple):
    """How many entries each catalogue has, and a sentence with file, line and key for every fault."""

    counts: Mapping[str, int]
    faults: list[str]


def check_catalogues(issues: Path | None = None, sql: Path | None = None, asked: bool = True) -> Checked:
    """Load everything. issues, sql: the folders; default: the project's. asked: conditions that nobody asks for are
    faults.
    """
    found: dict[str, Mapping[str, Any]] = {}
    faults: list[str] = []
    loads: dict[str, Callable[[], Mapping[str, Any]]] = {
        "known issues": lambda: load_advisories(issues),
        "signatures": lambda: load_signatures(sql),
        "mechanisms": lambda: load_mechanisms(sql),
        "conditions": lambda: load_conditions(sql),
        "plots": lambda: load_plots(sql),
        "marts": lambda: load_marts(sql),
    }
    for name, load in loads.items():
        try:
            found[name] = load()
        except (AdvisoryError, CatalogueError, MartError) as error:
            faults += str(error).splitlines()
    named = issues or issues_folder()
    if "signatures" in found and "mechanisms" in found:
        faults += _untold(sql or sql_dir(), found["signatures"], found["mechanisms"])
    if "known issues" in found and "signatures" in found:
        faults += _symptoms(named, found["known issues"], found["signatures"])
    if "known issues" in found and "conditions" in found:
        faults += _measured(named, found["known issues"], found["conditions"])
        faults += _unasked(sql or sql_dir(), found["known issues"], found["conditions"]) if asked else ()
    return Checked({name: len(entries) for name, entries in found.items()}, list(dict.fromkeys(faults)))


def _of_issue(folder: Path, name: str, location: tuple[Any, ...], problem: str) -> str:
    file = folder / f"{name}.yaml"
    return fault(file, location, problem, file.name, load_yaml(file))


def _untold(sql: Path, signatures: Mapping[str, Signature], mechanisms: Mapping[str, Mechanism]) -> Iterator[str]:
    """Causes that letters or the page have no words for, and symptoms without a picture."""
    for name, one in signatures.items():
        folder = sql / "signatures" / name
        for key in ("noticed_as", "owner_words"):
            if missing := [cause for cause in one.causes if cause not in getattr(one, key)]:
                yield fault(folder / SIGNATURE, (key,), f"says nothing of: {', '.join(missing)}")
        if name not in mechanisms:
            yield f"{folder / MECHANISM}: cannot be read: there is no such file"


def _symptoms(folder: Path, issues: Mapping[str, Advisory], signatures: Mapping[str, Signature]) -> Iterator[str]:
    """Signatures and causes that there are not, and issues whose mechanism no picture shows."""
    for name, issue in issues.items():
        shown = issue.signature
        if shown is None:
            if not issue.picture:
                yield _of_issue(folder, name, (), "has no picture: neither its own nor that of a signature")
            continue
        if shown.id not in signatures:
            text = unknown_name(f"no such signature: {shown.id}", shown.id, signatures)
            yield _of_issue(folder, name, ("signature", "id"), text)
            continue
        causes = signatures[shown.id].causes
        for index, cause in enumerate(shown.causes):
            if cause not in causes:
                text = unknown_name(f"no such cause of {shown.id}: {cause}", cause, causes)
                yield _of_issue(folder, name, ("signature", "causes", index), text)
        values = [line.value for line in signatures[shown.id].evidence]
        if shown.proven_by is not None and shown.proven_by not in values:
            text = unknown_name(f"no such evidence of {shown.id}: {shown.proven_by}", shown.proven_by, values)
            yield _of_issue(folder, name, ("signature", "proven_by"), text)


def _measured(folder: Path, issues: Mapping[str, Advisory], conditions: Mapping[str, Condition]) -> Iterator[str]:
    """Conditions that there are not."""
    for name, issue in issues.items():
        for index, one in enumerate(issue.preconditions):
            if isinstance(one.test, MeasuredCondition) and (asked := one.test.measured) not in conditions:
                text = unknown_name(f"no such condition: {asked}", asked, conditions)
                yield _of_issue(folder, name, ("preconditions", index, "test", "measured"), text)


def _unasked(sql: Path, issues: Mapping[str, Advisory], conditions: Mapping[str, Condition]) -> Iterator[str]:
    """Conditions that would be computed for nobody."""
    asked = {name for issue in issues.values() for name in asked_by(issue)}
    for name in conditions:
        if name not in asked:
            text = f"no known issue asks for it; one needs the precondition {{measured: {name}}}"
            yield fault(sql / "conditions" / name / WORDS, ("id",), text)
