"""Catalogues that are folders: takes the folder of one entry and its model, gives the validated entry and its queries.

Signatures, conditions and plots are such catalogues: a YAML file with the words, and SQL beside it.
"""

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kafka_fleet.base.catalogue_faults import fault, model_faults
from kafka_fleet.base.validation_errors import did_you_mean
from kafka_fleet.base.yaml import FleetFileError, load_yaml

STEP = re.compile(r"[0-9]+_\w+")


class CatalogueError(ValueError):
    """Entries' folders are not valid; the text names file, line and key of every fault, one per line."""


class CatalogueEntry(BaseModel):
    """What every entry is: its id is the name of its folder, and a key that there is not is a fault."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")


Entry = TypeVar("Entry", bound=CatalogueEntry)


def load_entries(root: Path, load: Callable[[Path], Entry]) -> dict[str, Entry]:
    """The entry of every folder below `root` by its name, sorted. Raises CatalogueError with the faults of all."""
    if not root.is_dir():
        raise CatalogueError(f"{root} is no folder")
    folders = [one for one in sorted(root.iterdir()) if one.is_dir() and one.name[0] not in "._"]
    found: dict[str, Entry] = {}
    faults: list[str] = []
    for folder in folders:
        try:
            found[folder.name] = load(folder)
        except CatalogueError as error:
            faults.append(str(error))
    if faults:
        raise CatalogueError("\n".join(faults))
    return found


def read_words(folder: Path, words: str, model: type[Entry]) -> Entry:
    """The entry that the file `words` describes; its id is the folder's name. Raises CatalogueError."""
    file, content = folder / words, None
    try:
        content = load_yaml(file)
        entry = model.model_validate(content)
    except FleetFileError as error:
        raise CatalogueError(str(error)) from error
    except ValidationError as error:
        raise CatalogueError("\n".join(model_faults(file, content, model, error))) from error
    if entry.id != folder.name:
        raise CatalogueError(fault(file, ("id",), f"{entry.id} differs from its folder {folder.name}"))
    return entry


def check_files(folder: Path, known: Collection[str]) -> None:
    """Raise CatalogueError for SQL that nothing reads: neither a step nor one of these names."""
    names = [path.stem for path in sorted(folder.glob("*.sql")) if not STEP.fullmatch(path.stem)]
    step = "; a step begins with its number, 1_<view>.sql"
    unread = [name for name in names if name not in known]
    faults = [f"{folder / name}.sql: nothing reads it{did_you_mean(name, known) or step}" for name in unread]
    if faults:
        raise CatalogueError("\n".join(faults))


def read_query(folder: Path, name: str) -> str:
    """The text of `<name>.sql`. Raises CatalogueError when it cannot be read."""
    file = folder / f"{name}.sql"
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise CatalogueError(f"{file}: cannot be read: {error.strerror}") from error


def read_steps(folder: Path) -> dict[str, str]:
    """Texts of `<number>_<view>.sql` by view, in their order. Raises CatalogueError when one cannot be read."""
    files = [path for path in sorted(folder.glob("*.sql")) if STEP.fullmatch(path.stem)]
    return {path.stem.partition("_")[2]: read_query(folder, path.stem) for path in files}
