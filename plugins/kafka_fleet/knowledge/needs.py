"""What a signature needs of a cluster's day: takes rows of needs.sql, gives whether they suffice and what is missing.

Rows name what is there. What has to be, and the sentences on what is not, are in signature.yaml, as Jinja2 templates.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from math import floor
from typing import Any, Literal, NamedTuple

import jinja2
from jinja2 import meta
from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_NAMES = 20  # brokers that one sentence lists; the rest is counted
SHARE = "min_coverage"  # threshold of every signature with a need that is judged by its share
NO_BROKER = "no_broker"  # the sentence of a cluster of which no broker is known
Values = Mapping[str, float]


class Need(BaseModel):
    """One input. about: what has to be there; unmet: a sentence for each reason why it is not, the usual one first.

    of: of what it is asked, each broker that is one of the cluster, the cluster, or whatever needs.sql gives rows of.
    met: whether a row shows it, by the row's numbers and the thresholds; a broker without any row does not have it.
    evaluated: how much of it has to be met for the signature to be evaluated, the share min_coverage, all, or nothing.
    A sentence that names `brokers` is said once of all of them. order: of the sentences, by their text, or by the
    broker's number and then as they are listed here.
    """

    model_config = ConfigDict(extra="forbid")
    about: str = Field(min_length=12)
    of: Literal["brokers", "cluster", "rows"] = "rows"
    met: str = "amount > 0"
    evaluated: Literal["share", "all", "never"] = "share"
    order: Literal["text", "broker"] = "text"
    unmet: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _described(cls, given: Any) -> Any:
        """A need of which nothing is asked by itself is its description alone."""
        return {"about": given} if isinstance(given, str) else given

    def check(self, thresholds: Iterable[str]) -> None:
        """Raise ValueError for a text that is no template, or that names what neither a row nor a threshold is."""
        known = {"broker", "brokers", "amount", "total", *thresholds}
        if self.unmet and self.evaluated == "share" and SHARE not in known:
            raise ValueError(f"needs: a need by share asks for the threshold {SHARE}")
        for place, text in {**self.unmet, "met": f"{{{{ {self.met} }}}}"}.items():
            try:
                unknown = _named(text) - known
            except jinja2.TemplateSyntaxError as error:
                raise ValueError(f"needs: {place}: {error}") from error
            if unknown:
                raise ValueError(f"needs: {place}: no such value: {', '.join(sorted(unknown))}")


class Shown(NamedTuple):
    """One row of needs.sql: what there is for a need. broker: None where the cluster is meant.

    reason: a sentence that is said of it in any case. amount, total: numbers that say whether the need is met.
    """

    cluster: str
    need: str
    broker: int | None
    reason: str | None = None
    amount: float | None = None
    total: float | None = None


class Coverage(NamedTuple):
    """Whether a signature was evaluated on a cluster's day, and one sentence per input that is missing."""

    evaluated: bool
    missing: tuple[str, ...]


def coverage(
    needs: Mapping[str, Need],
    rows: Iterable[Shown],
    brokers: Mapping[str, Collection[int]],
    thresholds: Mapping[str, Mapping[str, float]],
) -> dict[str, Coverage]:
    """Cluster -> coverage. brokers: of each cluster; thresholds: in force for each cluster that is asked for.

    A cluster of which no broker is known is absent, unless the needs have a sentence NO_BROKER for it. Raises KeyError
    for a row of a need, or with a reason, that there is none of.
    """
    said_of_none = any(NO_BROKER in need.unmet for need in needs.values())
    shown: dict[str, dict[str, list[Shown]]] = defaultdict(lambda: {name: [] for name in needs})
    for row in rows:
        shown[row.cluster][row.need].append(row)
    return {
        cluster: _coverage(needs, cluster, shown[cluster], sorted(own), thresholds[cluster])
        for cluster, own in brokers.items()
        if cluster in thresholds and (own or said_of_none)
    }


def _coverage(
    needs: Mapping[str, Need], cluster: str, shown: Mapping[str, list[Shown]], brokers: list[int], values: Values
) -> Coverage:
    of_brokers = {name: need for name, need in needs.items() if need.of == "brokers"}
    enough: list[bool] = []
    missing: list[str] = []
    for name, need in needs.items():
        if name == next(iter(of_brokers), None):
            share, texts = _of_brokers(of_brokers, cluster, shown, brokers, values)
            enough.append(share >= values[SHARE])
            missing += texts
        if need.of != "brokers":
            rows = shown[name] or [Shown(cluster, name, None)] if need.of == "cluster" else shown[name]
            met = [_is_met(need, row, values) for row in rows]
            share = sum(met) / len(met) if met else 1
            enough.append({"share": share >= values.get(SHARE, 1), "all": share == 1, "never": True}[need.evaluated])
            missing += _sentences(need, [(_reason(need, row, values), row) for row in rows], values)
    return Coverage(all(enough), tuple(dict.fromkeys(missing)))


def _of_brokers(
    needs: Mapping[str, Need], cluster: str, shown: Mapping[str, list[Shown]], brokers: list[int], values: Values
) -> tuple[float, list[str]]:
    """The share of the brokers that have all of these, and of each other what it lacks first."""
    if not brokers:
        return 0, [need.unmet[NO_BROKER] for need in needs.values() if NO_BROKER in need.unmet]
    said: list[str] = []
    lacking: set[int] = set()
    for name, need in needs.items():
        own = {row.broker: row for row in shown[name] if row.reason is None}
        lost = {broker for broker in brokers if broker not in own or not _is_met(need, own[broker], values)} - lacking
        rows = [(_first(need), own.get(broker, Shown(cluster, name, broker))) for broker in lost]
        rows += [(row.reason, row) for row in shown[name] if row.reason is not None and row.broker in brokers]
        said += _sentences(need, rows, values)
        lacking |= lost
    by_number = any(need.order == "broker" for need in needs.values())
    return (len(brokers) - len(lacking)) / len(brokers), said if by_number else sorted(said)


def _is_met(need: Need, row: Shown, values: Values) -> bool:
    return bool(_expression(need.met)(**values, amount=row.amount or 0, total=row.total or 0))


def _first(need: Need) -> str | None:
    return next(iter(need.unmet), None)


def _reason(need: Need, row: Shown, values: Values) -> str | None:
    return row.reason or (None if _is_met(need, row, values) else _first(need))


def _sentences(need: Need, said: Iterable[tuple[str | None, Shown]], values: Values) -> list[str]:
    """What is missing of one need, in its order: rows with the sentences that are said of them, if any."""
    each: list[tuple[str, Shown]] = []
    together: dict[str, set[int]] = defaultdict(set)
    for reason, row in said:
        if reason is not None and "brokers" in _named(need.unmet[reason]):
            together[reason] |= set() if row.broker is None else {row.broker}
        elif reason is not None and not (row.broker is None and "broker" in _named(need.unmet[reason])):
            each.append((reason, row))  # a broker without a number cannot be named
    places = list(need.unmet)
    each.sort(key=lambda one: (one[1].broker or 0, places.index(one[0])))
    texts = [
        _text(need.unmet[reason], {**values, "broker": row.broker, "amount": row.amount or 0, "total": row.total or 0})
        for reason, row in each
    ]
    texts += [_text(need.unmet[reason], {**values, "brokers": listed(sorted(own))}) for reason, own in together.items()]
    return [text for text in (texts if need.order == "broker" else sorted(texts)) if text]


def listed(brokers: Sequence[int]) -> str:
    """Their numbers, at most MOST_NAMES: `1, 2, 3 and 4 more`."""
    more = len(brokers) - MOST_NAMES
    return ", ".join(map(str, brokers[:MOST_NAMES])) + (f" and {more} more" if more > 0 else "")


@cache
def _environment() -> jinja2.Environment:
    """Sentences are text: whoever shows them on a page escapes them."""
    made = jinja2.Environment(
        autoescape=jinja2.select_autoescape(enabled_extensions=(), default_for_string=False),
        undefined=jinja2.StrictUndefined,
    )
    made.filters["floor"] = floor
    return made


@cache
def _named(text: str) -> frozenset[str]:
    """Values that a sentence names."""
    return frozenset(meta.find_undeclared_variables(_environment().parse(text)))


@cache
def _expression(text: str) -> Callable[..., Any]:
    return _environment().compile_expression(text, undefined_to_none=False)


@cache
def _template(text: str) -> jinja2.Template:
    return _environment().from_string(text)


def _text(text: str, values: Mapping[str, Any]) -> str:
    return _template(text).render(values)
