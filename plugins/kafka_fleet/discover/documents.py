"""Texts of other programs: takes YAML or JSON of one or more documents, gives plain data within bounds.

Anchors, merge keys and tags of Compose and Ansible are read, as their users write them. Nothing of a vault is kept.
"""

import json
import re
from typing import Any, NamedTuple

import yaml

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.validation_errors import printable_message

MAX_BYTES = 16 * 1024 * 1024
MAX_VALUES = 500_000  # of all documents; what an alias stands for counts each time
MAX_DEPTH = 64
# how what programs print for people begins: the head of a table, or its border
_TABLE = re.compile(r"[A-Z]+(?: {2,}|\t)|[-+|]{4,}\s")


class Vaulted:
    """Stands for what an Ansible vault keeps."""


VAULTED = Vaulted()


class Document(NamedTuple):
    """One of a text's documents. place: the file, and which document where there are several."""

    place: str
    content: Any


class _Bounded(yaml.composer.Composer, yaml.constructor.SafeConstructor):
    """What a SafeLoader is made of, with bounds; peek_event is the parser's."""

    peek_event: Any
    anchors: dict[Any, yaml.Node]

    def begin(self) -> None:
        self.values, self.depth = 0, 0
        self.sizes: dict[tuple[Any, int], int] = {}  # values below an anchor, once it has ended

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()
        if isinstance(event, yaml.events.AliasEvent):
            known = self.anchors.get(event.anchor)
            size = self.sizes.get((event.anchor, id(known)))
            if known is not None and size is None:
                self._refuse("an alias within what it stands for", event)
            self.values += size or 1
            self._bound(event)
            return super().compose_node(parent, index)
        begun = self.values
        self.values += 1
        self.depth += 1
        self._bound(event)
        node = super().compose_node(parent, index)
        self.depth -= 1
        if event.anchor is not None:
            self.sizes[event.anchor, id(node)] = self.values - begun
        return node

    def _bound(self, event: Any) -> None:
        if self.values > MAX_VALUES:
            self._refuse(f"more than {MAX_VALUES} values", event)
        if self.depth > MAX_DEPTH:
            self._refuse(f"nested more than {MAX_DEPTH} deep", event)

    def _refuse(self, problem: str, event: Any) -> None:
        raise yaml.composer.ComposerError(None, None, problem, event.start_mark)

    def tagged(self, suffix: str, node: yaml.Node) -> Any:
        """A tag of another program: what a vault keeps is dropped, others are read as if they had none."""
        if suffix in ("vault", "vault-encrypted"):
            return VAULTED
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        return self.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else node.value

    def day(self, node: yaml.Node) -> str:
        """A time, as it is written."""
        return str(node.value)


_Bounded.add_multi_constructor("!", _Bounded.tagged)
_Bounded.add_constructor("tag:yaml.org,2002:timestamp", _Bounded.day)  # type: ignore[type-var]


class _Fast(_Bounded, yaml.CSafeLoader):
    """libyaml reads a text in a fifth of the time."""

    def __init__(self, stream: str) -> None:
        yaml.CSafeLoader.__init__(self, stream)
        yaml.composer.Composer.__init__(self)
        self.begin()


class _Slow(_Bounded, yaml.SafeLoader):
    """Its errors say more of what is wrong."""

    def __init__(self, stream: str) -> None:
        yaml.SafeLoader.__init__(self, stream)
        self.begin()


def _yaml(text: str, name: str) -> list[Any]:
    try:
        return list(yaml.load_all(text, Loader=_Fast))
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        pass
    try:
        return list(yaml.load_all(text, Loader=_Slow))
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UsageError(f"{name}{line}: is not valid YAML: {printable_message(str(error.problem))}") from error
    except yaml.reader.ReaderError as error:
        raise UsageError(f"{name}: a character that YAML does not allow at position {error.position}") from error
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise UsageError(f"{name}: is not valid YAML: a value that cannot be read") from error


def _json(text: str, name: str) -> list[Any]:
    decoder, found, at = json.JSONDecoder(), list[Any](), 0
    try:
        while at < len(text):
            one, at = decoder.raw_decode(text, at)
            found.append(one)
            at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,\x1e"))
    except json.JSONDecodeError as error:
        raise UsageError(f"{name}, line {error.lineno}: is not valid JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{name}: is not valid JSON: nested too deeply, or a number that is too long") from error
    return found


def read_documents(text: str, name: str, expected: str) -> list[Document]:
    """The documents of a text that are not empty. Raises UsageError in one sentence.

    name: of the file. expected: what it should be, told where it is text for people and no data.
    """
    begun = text.lstrip("\ufeff \t\r\n")
    if _TABLE.match(begun):
        raise UsageError(f"{name}: is a table or plain text; expected {expected}")
    read = (
        _json(begun, name) if begun.startswith(("{", "[")) and not begun.startswith(("{{", "{%")) else _yaml(text, name)
    )
    found = [(number, one) for number, one in enumerate(read, start=1) if one is not None]
    if not found:
        raise UsageError(f"{name}: is empty")
    documents = [Document(name if len(found) == 1 else f"{name}, document {number}", one) for number, one in found]
    for one in documents:
        if isinstance(one.content, str):
            raise UsageError(f"{one.place}: is plain text; expected {expected}")
    return documents
