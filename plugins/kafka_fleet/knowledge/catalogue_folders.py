"""Catalogues that are folders: takes the folder of one entry and its model, gives the validated entry and its queries.

Signatures, conditions and plots are such catalogues: a YAML file with the words, and SQL beside it.
"""

from pathlib import Path
from typing import Protocol, Self, TypeVar

from pydantic import ValidationError

from kafka_fleet.base.validation_errors import describe_errors
from kafka_fleet.base.yaml import FleetFileError, load_catalogue


class CatalogueError(ValueError):
    """An entry's folder is not valid; the text names file and field of every fault."""


class _Entry(Protocol):
    id: str

    @classmethod
    def model_validate(cls, content: object, /) -> Self: ...


Entry = TypeVar("Entry", bound=_Entry)


def entry_folders(root: Path, words: str) -> list[Path]:
    """The folders below `root` that have the file `words`, sorted. Raises CatalogueError when there is no root."""
    if not root.is_dir():
        raise CatalogueError(f"{root} is no folder")
    return [child for child in sorted(root.iterdir()) if (child / words).exists()]


def read_words(folder: Path, words: str, model: type[Entry]) -> Entry:
    """The entry that the file `words` describes; its id is the folder's name. Raises CatalogueError."""
    file = folder / words
    try:
        entry = model.model_validate(load_catalogue(file))
    except FleetFileError as error:
        raise CatalogueError(str(error)) from error
    except ValidationError as error:
        raise CatalogueError("\n".join(f"{file}: {one}" for one in describe_errors(error, "file"))) from error
    if entry.id != folder.name:
        raise CatalogueError(f"{file}: id {entry.id!r} differs from its folder {folder.name!r}")
    return entry


def read_query(folder: Path, name: str) -> str:
    """The text of `<name>.sql`. Raises CatalogueError when it cannot be read."""
    file = folder / f"{name}.sql"
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise CatalogueError(f"{file}: cannot be read: {error.strerror}") from error


def read_steps(folder: Path) -> dict[str, str]:
    """Texts of `<number>_<view>.sql` by view, in their order. Raises CatalogueError when one cannot be read."""
    return {path.stem.partition("_")[2]: read_query(folder, path.stem) for path in sorted(folder.glob("[0-9]*_*.sql"))}
