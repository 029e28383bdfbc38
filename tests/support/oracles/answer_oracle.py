"""A second, slow reading of a bulk answer by other means: takes its bytes and the beans, gives the cells it tells.

Object names are read character by character, numbers are fractions, JSON objects are lists of pairs.
"""

import json
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

Cells = dict[tuple[str, tuple[Any, ...], str], Any]
LIMITS = {"int": 2**31, "long": 2**63}
DIGITS = "0123456789"


class Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written."""

    def only(self, name: str) -> Any:
        """The value of a name; None where it is absent or not unique."""
        found = [one for key, one in self if key == name]
        return found[0] if len(found) == 1 else None


def name_of(text: str) -> tuple[str, dict[str, str]] | None:
    """Domain and properties of an object name, or None."""
    domain, colon, rest = text.partition(":")
    found: dict[str, str] = {}
    place = 0
    if not colon or not rest:
        return None
    while True:
        end = rest.find("=", place)
        key = rest[place:end] if end >= 0 else ""
        if not key or "," in key or key in found or ('"' in rest and set(key) & set('*?:"')):
            return None
        place, value = end + 1, ""
        if rest[place : place + 1] == '"':
            place += 1
            while place < len(rest) and rest[place] != '"':
                if rest[place] == "\\":
                    place += 1
                    if place >= len(rest) or rest[place] == "\n":
                        return None
                    value += "\n" if rest[place] == "n" else rest[place]
                else:
                    value += rest[place]
                place += 1
            if place >= len(rest):
                return None
            place += 1
        else:
            end = rest.find(",", place)
            value = rest[place : end if end >= 0 else len(rest)]
            if '"' in value:
                return None
            place += len(value)
        found[key] = value
        if place == len(rest):
            return domain, found
        if rest[place] != ",":
            return None
        place += 1


def asked_for(bean: Bean, name: tuple[str, dict[str, str]]) -> bool:
    """Whether a bean's pattern takes a name, its further properties left aside."""
    domain, _colon, rest = bean.mbean.partition(":")
    fixed = dict(pair.split("=", 1) for pair in rest.split(",") if pair != "*")
    return domain == name[0] and all(
        wanted == "*" or key not in name[1] or fnmatchcase(name[1][key], wanted) for key, wanted in fixed.items()
    )


def number(value: Any, kind: str) -> Any:
    """The cell of a JSON value; None for what is none."""
    if isinstance(value, bool | list) or value is None:
        return None
    if kind == "string":
        return str(value) if not any(0xD800 <= ord(c) < 0xE000 for c in str(value)) else None
    if isinstance(value, str):
        plain = value.removeprefix("-")
        if kind != "double" and not (plain and len(plain) <= 20 and all(c in DIGITS for c in plain)):
            return None
    try:
        exact = Fraction(float(value)) if kind == "double" or isinstance(value, float) else Fraction(value)
    except (ValueError, OverflowError):
        return None
    if kind == "double":
        return float(exact)
    limit = LIMITS[kind]
    return int(exact) if exact.denominator == 1 and -limit <= exact < limit else None


def cells(body: bytes, beans: list[Bean]) -> Cells | None:
    """Every cell that has a value; None for a body that is no answer to these reads."""
    try:
        answers = json.loads(body, object_pairs_hook=Pairs)
    except (ValueError, RecursionError):
        return None
    if type(answers) is not list or len(answers) != len(beans) or not all(isinstance(a, Pairs) for a in answers):
        return None
    found: Cells = {}
    given: list[tuple[Bean, dict[str, str], Pairs]] = []
    for bean, answer in zip(beans, answers, strict=True):
        value = answer.only("value")
        if "*" in bean.mbean and isinstance(value, Pairs) and value:
            first = name_of(value[0][0])
            if first is not None and not asked_for(bean, first):
                return None
        wanted = {column.attribute for column in bean.columns}
        if "*" not in bean.mbean and isinstance(value, Pairs) and value and not {name for name, _ in value} & wanted:
            return None
        status = answer.only("status")
        if status == 404 and any(column.lazy for column in bean.columns):
            given.append((bean, {}, Pairs((column.attribute, 0) for column in bean.columns if column.lazy)))
        if bean.operation is not None:
            if status == 200 and (many := ids(answer)) is not None:
                given.append((bean, {}, Pairs([(bean.columns[0].attribute, many)])))
            continue
        if status != 200 or not isinstance(value, Pairs):
            continue
        if "*" not in bean.mbean:
            given.append((bean, {}, value))
            continue
        for text in dict.fromkeys(name for name, _one in value):
            name, one = name_of(text), value.only(text)
            if name is None or not isinstance(one, Pairs) or not asked_for(bean, name):
                continue
            own = {pair.partition("=")[0] for pair in bean.mbean.partition(":")[2].split(",")}
            if bean.mbean.endswith(",*") or not set(name[1]) > own:
                given.append((bean, name[1], one))
    for bean, properties, attributes in given:
        keys = []
        for name_, (_column, kind) in mbeans.tables()[bean.table].keys.items():
            keys.append((name_, number(properties.get(name_), kind)))
        if any(key is None and name_ != "version" for name_, key in keys):
            continue
        if any(isinstance(key, int) and key < 0 for _name, key in keys):
            continue
        for column in bean.columns:
            raw = attributes.only(column.attribute)
            if isinstance(raw, str) and raw.startswith(("ERROR: ", "[Object limit exceeded")):
                continue
            special = raw in ("NaN", "Infinity", "-Infinity")
            if isinstance(raw, str) and column.type != "string" and not json_number(raw) and not special:
                continue  # text of the agent's limits: the cell is left to another answer for it
            place = (bean.table, tuple(key for _name, key in keys), column.name)
            cell = number(raw, column.type)
            if place not in found and raw is not None:
                found[place] = cell
            elif place not in found and sum(name == column.attribute for name, _one in attributes) > 1:
                found[place] = None  # written twice: the cell is taken, by no value
    return {place: cell for place, cell in found.items() if cell is not None}


def ids(answer: Pairs) -> int | None:
    """How many ids of threads a call gave, none at all for null; None for what is no such answer."""
    values = [one for name, one in answer if name == "value"]
    if len(values) != 1 or not (values[0] is None or type(values[0]) is list):
        return None
    found = values[0] or []
    return len(found) if all(type(one) is int and 0 < one < 2**63 for one in found) else None


def json_number(text: str) -> bool:
    """Whether a text is a number as JSON and Java write them."""
    body = text.removeprefix("-").replace("E", "e")
    mantissa, e, exponent = body.partition("e")
    whole, dot, part = mantissa.partition(".")
    power = exponent[1:] if exponent[:1] in ("+", "-") else exponent
    parts = [whole] + [part] * bool(dot) + [power] * bool(e)
    return all(one and all(c in DIGITS for c in one) for one in parts)
