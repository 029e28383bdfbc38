"""Request times of a broker at a sweep: takes a model and a broker, gives the rows of raw table request_times."""

import math
from typing import Any

from support.generators.fleetgen import noise
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.state import WAIT_S, Broker

Row = dict[str, Any]


def request_times(model: Model, broker: Broker) -> list[Row]:
    """Quantiles of the last minutes: a recorded broker's, times this broker's speed. Means are since process start."""
    rng, rows = model.rng, []
    for request in ("Produce", "FetchConsumer"):
        fresh = broker.requests[request] - broker.timed[request, "TotalTimeMs"]
        if not broker.requests[request]:
            continue
        samples = noise.latencies(model.recorded, request)
        chance = math.exp(rng.gauss(0, min(0.7, 1 / math.sqrt(1 + fresh))))  # the mean of few requests is chance
        sample, total = rng.choice(samples), dict.fromkeys((*noise.QUANTILES, "mean_ms", "max_ms"), 0.0)
        for phase in noise.PHASES:
            scale = chance * broker.speed * math.exp(rng.gauss(0, 0.1))
            scale *= 1 / (1 - model.used(broker)) if phase in ("RequestQueueTimeMs", "LocalTimeMs") else 1.0
            row = {k: (round(v * scale) if k != "mean_ms" else v * scale) for k, v in sample[phase].items()
                   if k.endswith("_ms")}  # fmt: skip
            if request == "FetchConsumer" and phase == "RemoteTimeMs":
                row |= _waits(broker)
            if request == "Produce" and phase == "LocalTimeMs" and broker.slow_ms:
                row |= {k: row[k] + 10 * broker.slow_ms for k in ("p95_ms", "p98_ms", "p99_ms", "p999_ms", "max_ms")}
                row["mean_ms"] += broker.slow_ms
            if phase == "RequestQueueTimeMs":
                row["mean_ms"] += broker.queued_ms
            total = {k: v + row[k] for k, v in total.items()}
            rows.append({"request": request, "phase": phase, **row})
        rows.append({"request": request, "phase": "TotalTimeMs", "min_ms": 0.0, "stddev_ms": total["mean_ms"], **total})
    for row in rows:
        key = row["request"], row["phase"]
        many = row["observations"] = broker.requests[key[0]]
        broker.time_ms[key] += (many - broker.timed[key]) * row["mean_ms"]  # type: ignore[assignment]
        broker.timed[key] = many
        row["mean_ms"] = broker.time_ms[key] / many
    return rows


def _waits(broker: Broker) -> Row:
    """Quantiles of the readers' waits, min(Exp(batches/s), 500 ms) each, mixed by their fetches of the last minutes."""
    total = sum(fetches for _when, _per_s, fetches in broker.waits)
    if not total:
        return {}

    def answered(seconds: float) -> float:
        return sum(many * -math.expm1(-per_s * seconds) for _when, per_s, many in broker.waits) / total

    row: Row = {}
    for name, level in noise.QUANTILES.items():
        low, high = 0.0, WAIT_S
        for _ in range(12 if answered(WAIT_S) > level else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if answered(middle) < level else (low, middle)
        row[name] = 501.0 if high == WAIT_S else float(round(1000 * high))
    mean = sum(many * (-math.expm1(-per_s * WAIT_S) / per_s if per_s else WAIT_S) for _w, per_s, many in broker.waits)
    return row | {"mean_ms": 1000 * mean / total, "max_ms": 510.0}
