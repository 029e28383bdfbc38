"""Templates to finished text: takes a template name and its values, gives mail-safe HTML or wrapped plain text.

A letter has its own Jinja environment, never Airflow's: names that come from Kafka must not be rendered as templates.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import css_inline
import jinja2
from markupsafe import Markup, escape

from kafka_fleet.base.resources import templates_dir
from kafka_fleet.report.formatting import NO_BREAK, VERDICTS, clock, moment, number, plural, protocol_counts, sentence

COLUMNS = 78


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word that is longer than a line, in parts that end where an object name or an address may be broken."""
    while len(word) > width:
        at = max(word.rfind(sign, 0, width) for sign in ",;/:&-.") + 1 or width
        yield word[:at]
        word = word[at:]
    yield word


def wrapped(text: str, indent: int = 0, first: str | None = None, whole: bool = False) -> str:
    """Text in lines of at most 78 columns, each indented; `first` stands before the first line instead.

    whole: a word that is longer than a line is not broken, such as the name of an MBean, which is there to be copied.
    """
    lead = " " * indent
    lines, line = [], lead if first is None else first
    blank = True
    for word in re.split(r"[ \t\r\n]+", str(text).strip()):
        between = " "
        width = len(word) if whole else COLUMNS - max(indent, len(line) if blank else 0)
        for piece in _pieces(word, width):
            if not blank and len(line) + len(between) + len(piece) > COLUMNS:
                lines.append(line)
                line, blank = lead, True
            line += piece if blank else f"{between}{piece}"
            between, blank = "", False  # parts of one word have no blank between them: a name is copied as it is
    return "\n".join([*lines, line])


_JOINTS = re.compile(r"(?<=[._])(?=.)|(?<=[a-z])(?=[A-Z])")  # of a name


def breakable(text: str) -> Markup:
    """Text as HTML for a narrow column: dates stay in one line, and long names break behind their dots, and before
    their capitals, where they are longer than a line."""
    parts = re.split(r"(\d{4}-\d{2}-\d{2}|\S{20,})", str(text))
    found = []
    for place, part in enumerate(parts):
        safe = escape(part)
        if place % 2 and re.fullmatch(r"\d{4}-\d{2}-\d{2}", part):
            safe = Markup('<span style="white-space:nowrap;">{}</span>').format(part)
        elif place % 2:
            pieces = Markup("<wbr>").join(_JOINTS.split(part))
            safe = Markup('<span style="display:inline-block;">{}</span>').format(pieces)
        found.append(safe)
    return Markup("").join(found)


@cache
def environment() -> jinja2.Environment:
    """The letter's environment: HTML escaped by default, an undefined name is an error."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir()),
        autoescape=jinja2.select_autoescape(enabled_extensions=("html.j2",), default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    made.globals["verdicts"] = VERDICTS
    made.filters.update(
        wrapped=wrapped,
        breakable=breakable,
        sentence=sentence,
        figure=number,
        count_of=plural,
        protocol_counts=protocol_counts,
        at=lambda text, ds: clock(moment(text), ds),
    )
    return made


def _inliner() -> css_inline.CSSInliner:
    return css_inline.CSSInliner(keep_at_rules=True, load_remote_stylesheets=False, minify_css=True)


def inlined(html: str) -> str:
    """The page with its rules in style attributes; media queries stay in the head. Loads nothing from anywhere."""
    made: str = _inliner().inline(html)
    return re.sub(r">\n+", ">\n", made)


def fragment(name: str, **values: Any) -> str:
    """A part of a letter with the letter's rules in style attributes; its media queries are in the letter's head."""
    made: str = _inliner().inline_fragment(render(name, **values), render("letter.css"))
    return re.sub(r">\n+", ">\n", made).strip() + "\n"


def render(name: str, **values: Any) -> str:
    """One template with its values."""
    return environment().get_template(name).render(**values)


def plain(name: str, **values: Any) -> str:
    """A text template: no trailing blanks, never more than one empty line, one newline at the end."""
    lines = [line.rstrip() for line in render(name, **values).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).replace(NO_BREAK, " ").strip("\n") + "\n"
