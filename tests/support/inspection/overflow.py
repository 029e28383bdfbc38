"""How large a whole number of a query can get: takes queries, gives what may overflow, from what raw is staged to.

Each column of whole numbers has a bound: raw's by `fleet_spark/staging.py`, that of a result by what it is made of. A
sum may be as large as its type; so what is added to a sum, or taken from it, has to be tried. Doubles have no such end.
What is within structs, and within functions that are given to functions, is not followed.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from fleet_spark.staging import LAST_S, MOST
from kafka_fleet.schema.raw_tables import raw_schemas, raw_views

ROWS = 2**29  # more than any group of rows of a day has
ITEMS = 2**24  # of one array
MICROS = 2**55  # of a staged moment, and of one that was set right by what a clock was off


class Whole(NamedTuple):
    """A whole number: the most that it can be, and the bits of its type."""

    most: int
    bits: int = 63


INT, LONG = Whole(2**31, 31), Whole(2**63)
Columns = dict[str, Whole | None]
_COUNTS = (exp.Count, exp.CountIf)
_SAME = (
    exp.Paren,
    exp.Alias,
    exp.Window,
    exp.Filter,
    exp.Abs,
    exp.Neg,
    exp.Max,
    exp.Min,
    exp.ArgMax,
    exp.ArgMin,
    exp.Lag,
)
_NAMED = {
    "unix_micros": Whole(MICROS),
    "unix_millis": Whole(MICROS),
    "unix_seconds": Whole(MICROS),
    "row_number": Whole(ROWS, 31),
    "rank": Whole(ROWS, 31),
    "dense_rank": Whole(ROWS, 31),
    "size": Whole(ITEMS, 31),
    "length": Whole(ITEMS, 31),
    "xxhash64": LONG,
    "pmod": LONG,
}


def raw_columns() -> dict[str, Columns]:
    """The bounds of raw's whole numbers."""
    found: dict[str, Columns] = {}
    for view, table in raw_views().items():
        found[view] = {}
        for field in raw_schemas()[table]:
            moment = Whole(1000 * LAST_S) if field.name.endswith("_ms") else Whole(MOST)
            found[view][field.name] = {pa.int64(): moment, pa.int32(): INT}.get(field.type)
    return found


class Query:
    """One query over tables whose columns are known."""

    def __init__(self, text: str, known: Mapping[str, Columns]) -> None:
        self.known, self.found, self.followed = known, set[str](), 0
        self.results: dict[int, Columns] = {}
        tree = sqlglot.parse_one(text, read="spark")
        self.columns: Columns = {}
        for scope in traverse_scope(tree):
            self.columns = self.results[id(scope)] = self._of(scope)

    def _of(self, scope: Scope) -> Columns:
        if scope.set_operation_scopes:
            sides = [self.results[id(one)] for one in scope.set_operation_scopes]
            names = list(sides[0])
            return {
                name: _widest([next(iter(list(side.values())[place : place + 1]), None) for side in sides])
                for place, name in enumerate(names)
            }
        made: Columns = {}
        for one in scope.expression.selects:
            if one.is_star:
                table = one.table if isinstance(one, exp.Column) else None
                for alias in [table] if table else list(scope.sources):
                    made |= self._source(scope, alias)
            else:
                made[one.alias_or_name] = self._size(one, scope)
        for clause in ("where", "having", "joins"):
            found = scope.expression.args.get(clause)
            for node in [found] if isinstance(found, exp.Expression) else found or []:
                for arithmetic in node.find_all(exp.Add, exp.Sub, exp.Mul):
                    self._size(arithmetic, scope)
        return made

    def _source(self, scope: Scope, alias: str) -> Columns:
        source = scope.sources.get(alias)
        if isinstance(source, Scope):
            return self.results.get(id(source), {})
        return self.known.get(source.name, {}) if isinstance(source, exp.Table) else {}

    def _column(self, column: exp.Column, scope: Scope) -> Whole | None:
        aliases = [column.table] if column.table else list(scope.sources)
        found = [self._source(scope, alias).get(column.name) for alias in aliases]
        return next((one for one in found if one is not None), None)

    def _size(self, node: exp.Expression, scope: Scope) -> Whole | None:
        inner = [self._size(one, scope) for one in node.iter_expressions()]
        if isinstance(node, exp.Column):
            return self._column(node, scope)
        if isinstance(node, exp.Literal):
            whole = not node.is_string and node.name.isdigit()
            return Whole(int(node.name), 31 if int(node.name) < 2**31 else 63) if whole else None
        if isinstance(node, exp.Add | exp.Sub | exp.Mul):
            return self._arithmetic(node, inner)
        if isinstance(node, exp.Cast):
            most = inner[0].most if inner and inner[0] else 2**63
            return {"BIGINT": Whole(most), "INT": Whole(min(most, 2**31), 31)}.get(node.to.sql())
        if isinstance(node, _COUNTS):
            return Whole(ROWS)
        if isinstance(node, exp.Floor | exp.Ceil):
            return LONG
        if isinstance(node, exp.Mod):
            return inner[1]
        if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least | exp.Nullif):
            return self._any_of(list(node.iter_expressions()), scope)
        if isinstance(node, exp.Case):
            return self._any_of([*(one.args["true"] for one in node.args["ifs"]), node.args.get("default")], scope)
        if isinstance(node, exp.If):
            return self._any_of([node.args["true"], node.args.get("false")], scope)
        if isinstance(node, _SAME):
            return inner[0]
        if _name(node) == "try_sum":  # of doubles it is one, too
            return Whole(min(inner[0].most * ROWS, 2**63)) if inner[0] else None
        return _NAMED.get(_name(node))

    def _any_of(self, chosen: list[exp.Expression | None], scope: Scope) -> Whole | None:
        """One of several: a double, where one of them is."""
        found = [self._size(one, scope) for one in chosen if one is not None and not isinstance(one, exp.Null)]
        return None if None in found else _widest(found)

    def _arithmetic(self, node: exp.Expression, inner: list[Whole | None]) -> Whole | None:
        left, right = inner
        if left is None or right is None:
            return None  # of doubles, or of what is not followed: struct fields, and what functions give to functions
        self.followed += 1
        bits = max(left.bits, right.bits)
        most = left.most * right.most if isinstance(node, exp.Mul) else left.most + right.most
        if most >= 2**bits:
            self.found.add(f"{node.sql('spark')} may be {most:.0e}, a whole number of {bits + 1} bits: try_ it")
            most = 2**bits
        return Whole(most, bits)


def _name(node: exp.Expression) -> str:
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql("spark").partition("(")[0].lower() if isinstance(node, exp.Func) else ""


def _widest(found: list[Whole | None]) -> Whole | None:
    whole = [one for one in found if one is not None]
    return Whole(max(one.most for one in whole), max(one.bits for one in whole)) if whole else None


def overflows(queries: Mapping[str, str], known: dict[str, Columns]) -> Iterator[str]:
    """What may overflow in queries that read each other, in their order; `known` grows by their results."""
    for name, text in queries.items():
        query = Query(text, known)
        known[name] = query.columns
        yield from (f"{name}: {sentence}" for sentence in sorted(query.found))
