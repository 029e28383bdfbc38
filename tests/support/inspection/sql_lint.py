"""What no query may hold: takes the text of a query, gives a sentence with its line for all that can fail on a value.

ANSI is on, so that nothing is computed wrongly in silence; what cannot be computed has to be null then, and not an
error that ends the day of every cluster. Bounds of raw's numbers are in `fleet_spark/staging.py`; that no whole number
that is made of them overflows is seen by `overflow.py`.
"""

import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp

MOMENTS = {"timestamp_millis"}  # of numbers that are staged as moments, or as what a clock is off
FAILING = {
    "element_at": "get()",
    "try_element_at": "get()",
    "to_date": "a moment within, or try_to_date()",
    "to_timestamp": "try_to_timestamp()",
    "to_number": "try_to_number()",
    "make_date": "try_make_date()",
    "make_timestamp": "try_make_timestamp()",
    "timestamp_micros": "timestamp_millis()",
    "timestamp_seconds": "timestamp_millis()",
    "elt": "get(array())",
    "avg": "try_divide(try_sum(), count())",
    "raise_error": "null",
    "assert_true": "null",
    "parse_json": "try_parse_json()",
    "date_format": "a moment within",
}
_NUMBER = re.compile(r"[0-9.]*[1-9][0-9.]*(?:[eE][+-]?[0-9]+)?[DL]?")


def faults(query: str) -> list[str]:
    """Sentences `<line>: <what can fail, and what to write instead>`, in order."""
    tree = sqlglot.parse_one(query, read="spark")
    found = {(_line(node), sentence) for node in tree.walk() for sentence in _of(node)}
    return [f"{line}: {sentence}" for line, sentence in sorted(found)]


def _line(node: exp.Expression) -> int:
    """Where the first name within begins; 1 where there is none."""
    lines = [one.meta["line"] for one in node.walk() if "line" in one.meta]
    return min(lines, default=1)


def _of(node: exp.Expression) -> Iterator[str]:
    if isinstance(node, exp.Cast) and not node.args.get("safe"):
        if not _cannot_fail(node):
            yield "a cast fails on text that is no number and on numbers out of range; write try_cast()"
    elif isinstance(node, exp.Sum):
        yield "a sum overflows; write try_sum()"
    elif isinstance(node, exp.Div) and not _not_zero(node.expression):
        yield "a division fails on 0; write try_divide(), or divide by nullif(…, 0) or greatest(1, …)"
    elif isinstance(node, exp.Mod | exp.IntDiv) and not _not_zero(node.expression):
        yield "a remainder fails on 0; divide by nullif(…, 0)"
    elif isinstance(node, exp.Bracket) and not all(one.is_string for one in node.expressions):
        yield "an index fails beyond the array's end; write get()"
    else:
        yield from _of_function(node)


def _of_function(node: exp.Expression) -> Iterator[str]:
    if not isinstance(node, exp.Func):
        return
    if node.name.lower() == "pmod" and not _not_zero(node.expressions[1]):
        yield "pmod() fails on 0; divide by nullif(…, 0)"
    name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()
    spelled = node.sql("spark").partition("(")[0].lower()
    if spelled in MOMENTS or name in MOMENTS:
        if not all(column.name.endswith(("_ms", "_s")) for column in _values(node)):
            yield "a moment of a number that is not staged as one fails beyond the year 294247; take a column `_ms`"
        return
    for one in {name, spelled} & set(FAILING):
        if not _of_a_moment(node, one):
            yield f"{one}() fails on some values; write {FAILING[one]}"


def _values(node: exp.Expression) -> list[exp.Column]:
    """Columns that a value is made of, without those that only decide which."""
    deciding = {id(one) for case in node.find_all(exp.If) for one in case.this.find_all(exp.Column)}
    return [column for column in node.find_all(exp.Column) if id(column) not in deciding]


def _of_a_moment(node: exp.Expression, function: str) -> bool:
    """to_date and date_format of a column that is a moment, or is made of one, cannot fail: names tell them."""
    columns = {column.name for column in node.find_all(exp.Column)} | {dot.name for dot in node.find_all(exp.Dot)}
    kinds = ("_sweep", "sweep_at", "_at", "_read", "_ms", "_start")
    return function in ("to_date", "date_format") and any(column.endswith(kinds) for column in columns)


def _cannot_fail(cast: exp.Cast) -> bool:
    """To text; of nothing; of a number in the query (1D is a cast, too); of a parameter, which the program binds."""
    given = isinstance(cast.this, exp.Null | exp.Placeholder | exp.Parameter) or cast.this.is_number
    return given or cast.to.is_type("text")


def _number(node: exp.Expression) -> bool:
    """A number with its type behind it, 1e6D, is a cast of it."""
    return isinstance(node, exp.Cast) and node.this.is_number


def _not_zero(divisor: exp.Expression) -> bool:
    divisor = divisor.unnest()
    if isinstance(divisor, exp.Neg):
        return _not_zero(divisor.this)
    if isinstance(divisor, exp.Literal):
        return not divisor.is_string and _NUMBER.fullmatch(divisor.name) is not None
    if _number(divisor):
        return _not_zero(divisor.this)
    if isinstance(divisor, exp.Greatest):
        return any(_not_zero(one) for one in [divisor.this, *divisor.expressions] if one.is_number or _number(one))
    return isinstance(divisor, exp.Nullif | exp.Placeholder | exp.Parameter | exp.Count | exp.Case)
