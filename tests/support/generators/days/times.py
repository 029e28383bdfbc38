"""How long requests took, as a broker tells it: takes a simulated cluster, gives rows of `request_times`."""

from bisect import bisect_left, bisect_right
from typing import Any

from support.generators.days.cluster import Sim

Row = dict[str, Any]
QUANTILES = {"p50_ms": 0.5, "p75_ms": 0.75, "p95_ms": 0.95, "p98_ms": 0.98, "p99_ms": 0.99, "p999_ms": 0.999}


def request_times(sim: Sim, broker: int, request: str, number: int, t: float) -> list[Row]:
    """Rows of a type of request: quantiles of the last five minutes, counts and means since the process began."""
    many = sim.value(broker, ("r", request), number)
    if not many:
        return []
    kept = sim.samples[broker, request]
    mine = [one for one in kept[bisect_left(kept, (t - 300,)): bisect_right(kept, (t,))]
            if one[0] > sim.started(broker, t)]  # fmt: skip
    mine = sim.rng.sample(mine, min(1028, len(mine))) or [(t, 0.0, 0.0, 0.0)]
    rows = []
    means = {p: sim.value(broker, ("m", request, p), number) / many / 1000
             for p in ("RequestQueueTimeMs", "LocalTimeMs", "RemoteTimeMs", "ThrottleTimeMs")}  # fmt: skip
    values = {"RequestQueueTimeMs": [x[1] for x in mine], "LocalTimeMs": [x[2] for x in mine],
              "RemoteTimeMs": [x[3] for x in mine], "ResponseQueueTimeMs": [0.0] * len(mine),
              "ResponseSendTimeMs": [0.0] * len(mine), "ThrottleTimeMs": [0.0] * len(mine),
              "TotalTimeMs": [sum(x[1:]) for x in mine]}  # fmt: skip
    taken = (
        sum(means.values()) - means["ThrottleTimeMs"] + 0.06
    )  # from 2.0 on a client waits after its answer (KIP-219)
    means |= {"ResponseQueueTimeMs": 0.01, "ResponseSendTimeMs": 0.05, "TotalTimeMs": taken}
    for phase, seconds in values.items():
        ordered = sorted(1000 * one for one in seconds)
        row: Row = {name: float(round(ordered[min(len(ordered) - 1, int(level * len(ordered)))]))
                    for name, level in QUANTILES.items()}  # fmt: skip
        rows.append({"request": request, "phase": phase, "observations": many, "min_ms": 0.0, "stddev_ms": 1.0,
                     "max_ms": float(round(ordered[-1])), "mean_ms": means[phase], **row})  # fmt: skip
    return rows
