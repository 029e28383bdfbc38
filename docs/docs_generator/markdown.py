"""Markdown from data: takes plain text and cells, gives text that reads as it was written, wherever it stands."""

import re
from collections.abc import Iterable, Sequence

_MEANING = re.compile(r"([\\`*\[\]<>|~]|(?<!\w)_|_(?!\w)|&(?=#?\w+;))")
_BEGINS = re.compile(r"^([#+=-]|\d+(?=[.)]))")


def escape(text: str) -> str:
    """Plain text as one line of Markdown: nothing in it makes a link, a list, emphasis, a cell or HTML."""
    one_line = " ".join(text.split())
    escaped = _MEANING.sub(r"\\\1", one_line)
    return _BEGINS.sub(lambda found: f"\\{found[1]}" if not found[1].isdigit() else f"{found[1]}\\", escaped)


def code(text: str) -> str:
    """A name as it is spelled in settings and code; backticks and bars cannot stand in one."""
    return "`" + " ".join(text.replace("`", "'").split()) + "`"


def row(*cells: str) -> str:
    """One row of a table; a bar that is not escaped yet is, so that it ends no cell."""
    return "| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split())) for cell in cells) + " |"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with its head."""
    return "\n".join([row(*head), row(*["---"] * len(head)), *(row(*cells) for cells in rows)])


def block(name: str, content: str) -> str:
    """A generated block with the marks between which it is replaced."""
    return f"<!-- generated: {name} -->\n{content}\n<!-- end: {name} -->"


def fill(text: str, name: str, content: str) -> str:
    """The page's text with one block replaced. Raises ValueError when the page does not have it exactly once."""
    begin, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
    pattern = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the block {name!r} must stand exactly once between {begin} and {end}")
    return pattern.sub(lambda _found: block(name, content), text)
