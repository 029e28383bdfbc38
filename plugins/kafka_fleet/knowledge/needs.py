"""What a signature needs of a cluster's day: takes rows of needs.sql, gives whether they suffice and what is missing.

Rows name what was asked for and whether it is there; the sentences are in signature.yaml, as Jinja2 templates.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import floor
from typing import Any, Literal, NamedTuple

import jinja2
from jinja2 import meta
from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_NAMES = 20  # brokers that one sentence lists; the rest is counted
SHARE = "min_coverage"  # threshold of every signature with a need that is judged by its share
_OF_ROWS = ("broker", "brokers", "amount", "total")


class Need(BaseModel):
    """One input. about: what has to be there. unmet: a sentence for each reason why it is not.

    evaluated: how many of its rows have to be met for the signature to be evaluated, the share min_coverage or all. A
    sentence that names `brokers` is said once of all of them, any other once per row. order: of the need's sentences,
    by their text, or by the broker's number and then as they are listed here.
    """

    model_config = ConfigDict(extra="forbid")
    about: str = Field(min_length=12)
    evaluated: Literal["share", "all"] = "share"
    order: Literal["text", "broker"] = "text"
    unmet: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _described(cls, given: Any) -> Any:
        """A need of which nothing is said by itself is its description alone."""
        return {"about": given} if isinstance(given, str) else given

    def check(self, thresholds: Iterable[str]) -> None:
        """Raise ValueError for a sentence that is no template, or that names what neither a row nor a threshold is."""
        known = {*_OF_ROWS, *thresholds}
        if self.unmet and self.evaluated == "share" and SHARE not in known:
            raise ValueError(f"needs: a need by share asks for the threshold {SHARE}")
        for reason, text in self.unmet.items():
            try:
                unknown = _named(text) - known
            except jinja2.TemplateSyntaxError as error:
                raise ValueError(f"needs: {reason}: {error}") from error
            if unknown:
                raise ValueError(f"needs: {reason}: no such value: {', '.join(sorted(unknown))}")


class Asked(NamedTuple):
    """One row of needs.sql. broker: None where the cluster is meant. is_met: None where it decides nothing.

    reason: which sentence is said, though it may be met; None: the need's first where it is not met, else none.
    amount, total: numbers that the sentence tells.
    """

    cluster: str
    need: str
    broker: int | None = None
    is_met: bool | None = None
    reason: str | None = None
    amount: float | None = None
    total: float | None = None


class Coverage(NamedTuple):
    """Whether a signature was evaluated on a cluster's day, and one sentence per input that is missing."""

    evaluated: bool
    missing: tuple[str, ...]


def coverage(
    needs: Mapping[str, Need], rows: Iterable[Asked], thresholds: Mapping[str, Mapping[str, float]]
) -> dict[str, Coverage]:
    """Cluster -> coverage, of those among `thresholds`, which gives each cluster's values in force.

    A cluster without a row of the first need is absent: none of its brokers is known. Raises KeyError for a row of a
    need or reason that there is none of.
    """
    found: dict[str, dict[str, list[Asked]]] = defaultdict(lambda: {name: [] for name in needs})
    for row in rows:
        if row.cluster in thresholds:
            found[row.cluster][row.need].append(row)
    first = next(iter(needs))
    return {
        cluster: Coverage(
            all(_is_met(need, own[name], thresholds[cluster]) for name, need in needs.items()),
            tuple(text for name, need in needs.items() for text in _sentences(need, own[name], thresholds[cluster])),
        )
        for cluster, own in found.items()
        if own[first]
    }


def _is_met(need: Need, rows: Sequence[Asked], values: Mapping[str, float]) -> bool:
    met = [row.is_met for row in rows if row.is_met is not None]
    if need.evaluated == "all":
        return all(met)
    return not met or sum(met) / len(met) >= values[SHARE]


def _sentences(need: Need, rows: Sequence[Asked], values: Mapping[str, float]) -> list[str]:
    """What is missing of one need, in its order."""
    said: list[tuple[str, Asked]] = []
    together: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        reason = row.reason or (next(iter(need.unmet)) if row.is_met is False else None)
        if reason is None:
            continue
        if "brokers" in _named(need.unmet[reason]):
            together[reason] |= set() if row.broker is None else {row.broker}
        else:
            said.append((reason, row))
    if need.order == "broker":
        places = list(need.unmet)
        said.sort(key=lambda one: (one[1].broker or 0, places.index(one[0])))
    texts = [_text(need.unmet[reason], {**values, **row._asdict()}) for reason, row in said]
    texts += [_text(need.unmet[reason], {**values, "brokers": listed(sorted(own))}) for reason, own in together.items()]
    return texts if need.order == "broker" else sorted(texts)


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
def _template(text: str) -> jinja2.Template:
    return _environment().from_string(text)


def _text(text: str, values: Mapping[str, Any]) -> str:
    return _template(text).render(values)
