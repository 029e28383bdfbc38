"""A value and where it stands: takes data of another program, gives what was expected or one sentence on what is not.

A value is never part of the sentence: it may be a secret.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.text import one_line
from kafka_fleet.discover.documents import VAULTED, Document

_PLAIN = re.compile(r"[\w./-]{1,100}")
_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def _kind(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "nothing" if value is None else "a value of another kind")


def _unwrapped(value: Any) -> Any:
    """A value as `ansible-inventory` prints it: what it marks as unsafe is text, what a vault keeps is not read."""
    if isinstance(value, dict) and len(value) == 1:
        if "__ansible_vault" in value:
            return VAULTED
        return value.get("__ansible_unsafe", value)
    return value


class Field(NamedTuple):
    """A value of a document. path: dotted, empty for the whole document."""

    place: str
    path: str
    value: Any

    def fault(self, problem: str) -> UsageError:
        """The error to raise for this field, on one line whatever the place is called."""
        return UsageError(one_line(": ".join(part for part in (self.place, self.path, problem) if part), 1000))

    def of(self, *keys: str) -> "Field":
        """What is below these keys; its value is None where one of them is not there."""
        found = self
        for key in keys:
            name = key if _PLAIN.fullmatch(key) else f"({one_line(key, 60)})"
            path = f"{found.path}.{name}" if found.path else name
            found = Field(self.place, path, found.mapping().get(key))
        return found

    def mapping(self) -> dict[Any, Any]:
        """The keys and values; none where nothing is there. Raises UsageError for anything else."""
        if self.value is None or self.value is VAULTED:
            return {}
        if not isinstance(self.value, dict):
            raise self.fault(f"must be a mapping, not {_kind(self.value)}")
        return self.value

    def entries(self) -> Iterator[tuple[str, "Field"]]:
        """Each key, as text, with its field."""
        for key, value in self.mapping().items():
            field = self.of(str(key))
            yield str(key), Field(field.place, field.path, value)

    def items(self) -> "list[Field]":
        """The entries of a list; none where nothing is there."""
        if self.value is None or self.value is VAULTED:
            return []
        if not isinstance(self.value, list):
            raise self.fault(f"must be a list, not {_kind(self.value)}")
        return [Field(self.place, f"{self.path}[{number}]", one) for number, one in enumerate(self.value)]

    def text(self) -> str | None:
        """A scalar as text; None where nothing is there, or a vault keeps it."""
        value = _unwrapped(self.value)
        if value is None or value is VAULTED:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str | int | float):
            raise self.fault(f"must be text, not {_kind(value)}")
        return str(value)

    @property
    def vaulted(self) -> bool:
        """Whether a vault keeps it."""
        return _unwrapped(self.value) is VAULTED

    def needed(self) -> str:
        """A scalar that has to be there."""
        found = self.text()
        if not found:
            raise self.fault("is missing")
        return found

    def flag(self) -> bool | None:
        """True or false; None where nothing is there, or a template that only its program can fill in."""
        word = (self.text() or "").strip().lower()
        return True if word in _YES else False if word in _NO else None

    def whole(self) -> int | None:
        """A whole number of at most ten digits; None where none is there, or a template."""
        word = (self.text() or "").strip()
        return int(word) if re.fullmatch(r"[0-9]{1,10}", word) else None


def root(document: Document) -> Field:
    """The whole of a document."""
    return Field(document.place, "", document.content)
