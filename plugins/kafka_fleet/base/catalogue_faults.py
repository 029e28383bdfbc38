"""Faults of the project's own YAML files: takes pydantic's errors, gives a sentence each with file, line and key."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from kafka_fleet.base.validation_errors import counted_location, printable_message, unknown_name, without_misspelled
from kafka_fleet.base.yaml import read_text
from kafka_fleet.base.yaml_lines import YamlLines

FROM_SQL = re.compile(r"^steps$|query$")  # fields that the .sql files beside give
_PATTERNS = {
    r"[.!]$": "must be a sentence that ends in . or !",
    r"\.$": "must be a sentence that ends in a full stop",
    r"\?$": "must be a question that ends in ?",
    r"^[a-z][a-z0-9_]*$": "must be small letters, digits and underscores, a letter first",
}


class FaultAt(ValueError):
    """What a model finds between its keys. location: of the key that is to blame."""

    def __init__(self, location: tuple[Any, ...], problem: str) -> None:
        super().__init__(problem)
        self.location = location


def placed(location: tuple[Any, ...], check: Callable[[], object]) -> None:
    """Run a check of one key. Raises FaultAt with its location for the ValueError that the check raises."""
    try:
        check()
    except ValueError as error:
        raise FaultAt(location, str(error)) from error


def fault(file: Path, location: tuple[Any, ...], problem: str, shown: str | None = None, content: Any = None) -> str:
    """`<file>, line 3: <key>: <problem>`. shown: how the file is called; content: what was read from it."""
    line = YamlLines(read_text(file)).line(location)
    return f"{shown or file}, line {line}: {counted_location(content, location, 'file')}: {problem}"


def model_faults(
    file: Path, content: Any, model: type[BaseModel], error: ValidationError, shown: str | None = None
) -> list[str]:
    """One sentence per mistake. shown: how the file is called; content: what was read from it."""
    found = without_misspelled(error.errors(include_url=False), lambda place: keys_at(model, place))
    return [fault(file, _location(one), _sentence(model, one), shown, content) for one in found]


def _location(one: Any) -> tuple[Any, ...]:
    inner = getattr(one.get("ctx", {}).get("error"), "location", ())
    return (*one["loc"], *inner)


def _sentence(model: type[BaseModel], one: Any) -> str:
    context = one.get("ctx", {})
    match one["type"]:
        case "extra_forbidden":
            return unknown_name("unknown key", one["loc"][-1], keys_at(model, one["loc"][:-1]))
        case "missing":
            return "is required"
        case "literal_error":
            words = re.findall(r"'([^']*)'", context["expected"])
            return unknown_name(f"no such word: {printable_message(str(one['input']))}", one["input"], words)
        case "string_pattern_mismatch" if context["pattern"] in _PATTERNS:
            return _PATTERNS[context["pattern"]]
    return printable_message(one["msg"])


def keys_at(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """The keys that there are where a location leads; of several models those of all."""
    there: list[type[BaseModel]] = [model]
    for part in location:
        fields = [(one, field) for one in there for name, field in _fields(one).items() if name == part]
        below = [found for _one, field in fields for found in _models(field.annotation)]
        if below:
            there = below
        elif fields and len(there) > 1:  # of a union of models the location names which one was taken
            there = [one for one, _field in fields]
    return list(dict.fromkeys(name for one in there for name in _fields(one)))


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Fields by the names that the file gives them, without those that are read from other files."""
    return {field.alias or name: field for name, field in model.model_fields.items() if not FROM_SQL.search(name)}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that a value of this type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for one in get_args(annotation):
        yield from _models(one)
