"""Findings against labels: takes what was planted and what was found, gives recall and false findings with bounds."""

import math
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Any

from support.generators.fleetgen.shape import Label

SIDE = 0.025  # each side of a 95 % interval
Result = dict[str, Any]  # cluster, signature, state, detections


@dataclass(frozen=True)
class Planted:
    """What a cluster's labels say: `must` is to be found, `may` is true as well; k is the factor over the threshold."""

    cluster: str
    must: frozenset[Label] = frozenset()
    may: frozenset[Label] = frozenset()
    open: frozenset[Label] = frozenset()  # may be found, but not conclusively
    fault: str = ""
    k: float = 0.0


@dataclass
class Score:
    """One signature's figures over the clusters that were analysed."""

    signature: str
    clean: int = 0  # clean cluster-days
    evaluated: int = 0  # of them, those where the signature could answer
    false: list[tuple[str, str, str]] = field(default_factory=list)  # clean ones: cluster, cause, strength
    wrong: list[tuple[str, str]] = field(default_factory=list)  # other causes than planted, on planted ones
    right: int = 0  # planted and found
    by_k: dict[float, list[int]] = field(default_factory=dict)  # k -> [found, planted]
    by_cause: dict[str, dict[float, list[int]]] = field(
        default_factory=dict
    )  # cause -> k -> [found, conclusive, planted]
    missed: list[tuple[str, str, float]] = field(default_factory=list)  # cluster, fault, k

    @property
    def precision(self) -> float | None:
        """Share of findings, on clean and planted clusters, that are true."""
        total = self.right + len(self.false) + len(self.wrong)
        return self.right / total if total else None

    @property
    def most_false(self) -> float:
        """Upper 95 % bound of clean cluster-days with a false finding, per 100."""
        return 100 * upper_share(len({one[0] for one in self.false}), self.evaluated) if self.evaluated else 100.0

    def surely_false(self, causes: Container[str]) -> int:
        """Clean cluster-days on which one of these causes was told for sure."""
        return len({cluster for cluster, cause, strength in self.false if strength == "conclusive" and cause in causes})

    def recall(self, k: float) -> float | None:
        """Lower 95 % bound of the share of faults at k times the threshold that are found."""
        found, planted = self.by_k.get(k, (0, 0))
        return lower_share(found, planted) if planted else None


def upper_share(events: int, trials: int) -> float:
    """Upper end of the exact two-sided 95 % interval of Clopper and Pearson: 0 of 1,000 gives 0.00368."""
    if events >= trials:
        return 1.0

    def at_most(share: float) -> float:
        terms = (
            math.lgamma(trials + 1) - math.lgamma(i + 1) - math.lgamma(trials - i + 1)
            + (i * math.log(share) if i else 0.0) + (trials - i) * math.log1p(-share)
            for i in range(events + 1)
        )  # fmt: skip
        return math.fsum(math.exp(one) for one in terms)

    return _bisect(lambda share: at_most(share) > SIDE)


def interval(events: int, trials: int) -> tuple[float, float]:
    """Both ends of the interval; of no trial it is everything."""
    return (lower_share(events, trials), upper_share(events, trials)) if trials else (0.0, 1.0)


def chance_true(prior: float, found: tuple[int, int], false: tuple[int, int]) -> float:
    """Least chance that what is told for sure is so, by Bayes: of the lower end of recall and the upper end of errors.

    prior: share of cluster-days that have it. found: of planted ones; false: of clean ones; both (events, trials).
    """
    true = prior * interval(*found)[0]
    return true / (true + (1 - prior) * interval(*false)[1])


def lower_share(events: int, trials: int) -> float:
    """Lower end of the same interval: 18 of 18 gives 0.815."""
    return 1.0 - upper_share(trials - events, trials)


def _bisect(left_of: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0 - 1e-12
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if left_of(middle) else (low, middle)
    return high


def score(signature: str, planted: list[Planted], results: list[Result]) -> Score:
    """Figures of one signature."""
    found = {one["cluster"]: one for one in results if one["signature"] == signature}
    made = Score(signature)
    for one in planted:
        result = found.get(one.cluster)
        if result is None:
            continue
        must = {cause for name, cause in one.must if name == signature}
        may = {cause for name, cause in one.may if name == signature}
        causes = {(d["cause"], d["strength"]) for d in result["detections"]}
        undecided = {(cause, "suggestive") for name, cause in one.open if name == signature}
        extra = sorted(pair for pair in causes - undecided if pair[0] not in must | may)
        if not one.fault:
            made.clean += 1
            made.evaluated += result["state"] != "not_evaluated"
            made.false += [(one.cluster, *pair) for pair in extra]
            continue
        made.wrong += [(one.cluster, cause) for cause, _strength in extra]
        for cause in sorted(must):
            hit = any(cause == name for name, _strength in causes)
            counts = made.by_k.setdefault(one.k, [0, 0])
            counts[0] += hit
            counts[1] += 1
            own = made.by_cause.setdefault(cause, {}).setdefault(one.k, [0, 0, 0])
            for place, more in enumerate((hit, (cause, "conclusive") in causes, True)):
                own[place] += more
            made.right += hit
            made.missed += [] if hit else [(one.cluster, f"{signature}/{cause}", one.k)]
    return made


def failures(made: Score) -> list[str]:
    """Sentences, one per gate that the signature does not pass."""
    said = []
    if made.clean and made.most_false > 1:
        said.append(
            f"{made.signature}: up to {made.most_false:.2f} false findings per 100 clean cluster-days; at most 1"
        )
    for k, least in ((2.0, 0.95), (1.2, 0.8)):
        share = made.recall(k)
        if share is not None and share < least:
            shown = f"{made.by_k[k][1]} faults show a recall of {share:.2f} at {k} x the threshold"
            said.append(f"{made.signature}: {shown}; at least {least}")
    return said
