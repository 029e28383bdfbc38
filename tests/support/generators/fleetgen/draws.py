"""Random whole numbers: Poisson counts, multinomial splits, unbiased rounding; and fetches of a waiting reader."""

import math
from collections.abc import Sequence
from random import Random


def whole(rng: Random, value: float) -> int:
    """The value rounded up or down by chance, so that its mean is kept."""
    least = math.floor(value)
    return least + (rng.random() < value - least)


def poisson(rng: Random, mean: float) -> int:
    """A Poisson count; beyond 50 its normal approximation."""
    if mean <= 0:
        return 0
    if mean > 50:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


def split(rng: Random, total: int, weights: Sequence[float]) -> list[int]:
    """A multinomial split of so many things, as a chain of binomials (normal approximation where they are many)."""
    left, mass, found = total, float(sum(weights)), []
    for weight in weights[:-1]:
        share = 0.0 if mass <= 0 else min(1.0, weight / mass)
        found.append(_binomial(rng, left, share))
        left -= found[-1]
        mass -= weight
    return [*found, left]


def _binomial(rng: Random, count: int, share: float) -> int:
    if share > 0.5:
        return count - _binomial(rng, count, 1 - share)
    variance = count * share * (1 - share)
    if variance > 30:
        return min(count, max(0, round(rng.gauss(count * share, math.sqrt(variance)))))
    return sum(rng.random() < share for _ in range(count)) if count <= 400 else min(count, poisson(rng, count * share))


def arrivals(per_s: float, wait_s: float) -> tuple[float, float]:
    """Fetches per s and those of them that expire, of a reader for whom so many batches per s arrive (Poisson)."""
    if per_s * wait_s < 1e-6:
        return 1 / wait_s, 1 / wait_s
    weight = min(per_s * wait_s, 600.0)
    return per_s / -math.expm1(-weight), per_s / math.expm1(weight)
