"""YAML of the fleet file: takes a path, gives plain data; all that a plain file does not need is refused.

That is duplicate keys, aliases, tags, numbers of hundreds of digits, half characters, and very many values.
"""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from kafka_fleet.base.validation_errors import printable_message, redacted_value

MAX_BYTES = 16 * 1024 * 1024
MAX_VALUES = 500_000  # keys, texts, lists and mappings: YAML takes up to 700 bytes of memory for each
MAX_BITS = 256  # of a whole number: what is longer cannot even be printed
_HALF = re.compile("[\ud800-\udfff]")


class FleetFileError(ValueError):
    """The fleet file cannot be used at all; the text is one sentence. `place`: the file, and the line where known."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place


class _Refusing(yaml.composer.Composer, yaml.constructor.SafeConstructor):
    """What a SafeLoader is made of, and takes the first of two equal keys for a mistake: YAML would keep the last.

    Tags are refused: `!!int foo` ends SafeLoader's own code with an IndexError, `!!set` gives what no entry can be.
    """

    peek_event: Any
    values = 0

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key_node, _value in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(None, None, "a key must be plain text", key_node.start_mark)
            if key in seen:
                text = f"a key is given twice: {redacted_value(key)}"
                raise yaml.constructor.ConstructorError(None, None, text, key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()
        self.values += 1
        refused = None
        if isinstance(event, yaml.events.AliasEvent):
            refused = "aliases are not allowed"
        elif getattr(event, "tag", None) is not None:
            refused = "tags such as !!int are not allowed"
        elif isinstance(event, yaml.events.ScalarEvent) and _HALF.search(event.value):
            refused = "half a character (a surrogate)"
        elif self.values > MAX_VALUES:
            refused = f"more than {MAX_VALUES} values"
        if refused is not None:
            at: Any = event.start_mark
            raise yaml.composer.ComposerError(None, None, refused, at)
        return super().compose_node(parent, index)

    def whole(self, node: yaml.ScalarNode) -> int:
        """A whole number that can be printed."""
        found = int(self.construct_yaml_int(node))
        if found.bit_length() > MAX_BITS:
            raise yaml.constructor.ConstructorError(None, None, "a number that is too long", node.start_mark)
        return found


_Refusing.add_constructor("tag:yaml.org,2002:int", _Refusing.whole)  # type: ignore[type-var]


class _Loader(_Refusing, yaml.SafeLoader):
    """Its errors have the place in the text and YAML's own words."""


class _FastLoader(_Refusing, yaml.CSafeLoader):
    """libyaml reads a text in a fifth of the time, and says less of what is wrong."""

    def __init__(self, stream: str) -> None:
        yaml.CSafeLoader.__init__(self, stream)
        yaml.composer.Composer.__init__(self)


_HINTS = {  # what YAML says of the commonest slips of people, and what to do
    "found character '\\t'": "indent with spaces, not with tabs",
    "expected <block end>": "this line is indented by more or fewer spaces than its neighbours",
    "mapping values are not allowed": "put a value with a colon in quotes, and indent each key as its neighbours",
    "could not find expected ':'": "a key ends in a colon and a space",
    "expected ',' or ']'": "a list that begins with [ has commas, and ends in ]",
    "expected ',' or '}'": "a mapping that begins with { has commas, and ends in }",
}


def _with_hint(problem: str) -> str:
    hint = next((text for begins, text in _HINTS.items() if begins in problem), None)
    return f"{problem}; {hint}" if hint else problem


def _about(error: Exception) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        return f"a character that YAML does not allow at position {error.position}"
    return (
        "nested too deeply" if isinstance(error, RecursionError) else "a value that cannot be read, such as a bad date"
    )


def load_yaml(path: Path) -> Any:
    """Parse one file. Raises FleetFileError naming the file, and the line where YAML knows it."""
    return parse_yaml(read_text(path), path)


def read_text(path: Path) -> str:
    """A file's text. Raises FleetFileError where it cannot be read, or is too large."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FleetFileError(str(path), f"larger than {MAX_BYTES // 2**20} MiB")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FleetFileError(str(path), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FleetFileError(str(path), f"is not UTF-8 text (byte {error.start})") from error


def parse_yaml(text: str, path: Path) -> Any:
    """Parse a file's text. Raises FleetFileError naming the file, and the line where YAML knows it."""
    try:
        return yaml.load(text, Loader=_FastLoader)  # noqa: S506 - a SafeLoader with more refusals
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):
        return _parsed_with_words(text, path)


def _parsed_with_words(text: str, path: Path) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader with more refusals
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise FleetFileError(
            f"{path}{line}", f"is not valid YAML: {_with_hint(printable_message(str(error.problem)))}"
        ) from error
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise FleetFileError(str(path), f"is not valid YAML: {_about(error)}") from error
