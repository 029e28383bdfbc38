"""What real brokers' figures scatter by: takes the recorded sweeps (tests/data/sweeps), gives the model's noise.

Each function says which recording and which difference it is taken from. Recorded loads are steadier than production:
the model multiplies the rate jitter by up to ten and says so where it does.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from statistics import mean, pstdev
from typing import Any

from support.homes.recorded import Row, Sweep, recording, scenarios

LOADED = ("follower332", "crowd331", "mixed331")  # enough requests for quantiles, and nothing slow about Produce
PHASES = ("RequestQueueTimeMs", "LocalTimeMs", "RemoteTimeMs", "ResponseQueueTimeMs", "ResponseSendTimeMs")
QUANTILES = {"p50_ms": 0.5, "p75_ms": 0.75, "p95_ms": 0.95, "p98_ms": 0.98, "p99_ms": 0.99, "p999_ms": 0.999}


def _spans(scenario: str, broker: int) -> Iterator[tuple[Sweep, Sweep, float, dict[str, int]]]:
    """Consecutive sweeps under load (sweep 0 is taken before it), their distance in s, and the counters' deltas."""
    for first, last in pairwise(recording(scenario)[1:]):
        was, now = (one.rows("broker_metrics", broker=broker)[0] for one in (first, last))
        deltas = {k: now[k] - (was[k] or 0) for k in now if isinstance(now[k], int) and isinstance(was[k], int)}
        yield first, last, (now["read_at"] - was["read_at"]).total_seconds(), deltas


@cache
def rate_jitter() -> float:
    """Coefficient of variation of records/s between intervals: the largest of the recorded steady loads."""
    found = []
    for scenario in ("follower332", "crowd331", "slow331", "follower331"):
        rates = [deltas["messages_in"] / seconds for _a, _b, seconds, deltas in _spans(scenario, 1)]
        found.append(pstdev(rates) / mean(rates))
    return max(found)


@cache
def prompt_share() -> tuple[float, float]:
    """Prompt answers per batch that arrives, least and most: follower332, where nothing is delayed."""
    shares = []
    for first, last, _seconds, deltas in _spans("follower332", 2):
        fetches = _requests(last, 2, "FetchConsumer") - _requests(first, 2, "FetchConsumer")
        batches = [one.rows("broker_metrics", broker=1)[0]["produce_batches"] for one in (first, last)]
        shares.append((fetches - deltas["expired_consumer_fetches"]) / (batches[1] - batches[0]))
    return min(shares), max(shares)


@cache
def idle_expiries() -> tuple[float, float]:
    """Expiries of fifty idle readers over 2 per s and reader, least and most: crowd331."""
    found = [
        deltas["expired_consumer_fetches"] / (50 * 2 * seconds) for *_ends, seconds, deltas in _spans("crowd331", 1)
    ]
    return min(found), max(found)


def _requests(sweep: Sweep, broker: int, request: str) -> int:
    return sum(row["requests"] for row in sweep.rows("requests", broker=broker, request=request))


@cache
def record_bytes() -> float:
    """Bytes of a record in its batch of one: follower332."""
    deltas = [found for *_rest, found in _spans("follower332", 1)]
    return sum(d["bytes_in"] for d in deltas) / sum(d["messages_in"] for d in deltas)


def _sweeps() -> Iterator[Sweep]:
    for scenario in scenarios():
        yield from recording(scenario)


@cache
def read_delays() -> list[float]:
    """Seconds from the start of a sweep to the middle of a broker's read, every recorded one."""
    return [(row["read_at"] - one.at).total_seconds() for one in _sweeps() for row in one.tables["brokers"]]


@cache
def offset_delays() -> list[float]:
    """Seconds from the start of a sweep to the read of committed offsets."""
    found = [(row["read_at"] - one.at).total_seconds() for one in _sweeps() for row in one.rows("group_offsets")]
    return sorted(found)


@cache
def clock_skews() -> list[float]:
    """Agent's clock less collector's, s: recorded on one machine, so it is the reading error of whole seconds alone."""
    return [row["agent_clock_skew_s"] for one in _sweeps() for row in one.tables["brokers"]]


@cache
def startup_seconds() -> list[float]:
    """Seconds from the start of the JVM to the registered app-info bean of a clean start."""
    rows = [row for one in _sweeps() for row in one.tables["broker_metrics"]]
    return sorted({(r["app_start_ms"] - r["jvm_start_ms"]) / 1000 for r in rows if r["app_start_ms"]})


@cache
def sweep_connections() -> float:
    """Connections that one sweep's admin client makes per broker: idle331, where nobody else connects."""
    created = [sum(r["connections_created"] for r in s.rows("listeners", broker=2)) for s in recording("idle331")[1:]]
    return mean(b - a for a, b in pairwise(created))


@cache
def latencies(scenario: str, request: str) -> list[dict[str, Row]]:
    """Quantile rows of a request by phase, one dict per broker and sweep of a recording: they belong together.

    A FetchConsumer's RemoteTimeMs is its wait, which the model computes itself.
    """
    found: list[dict[str, Row]] = []
    for one in recording(scenario)[2:]:
        for broker in (1, 2):
            rows: dict[str, Any] = {r["phase"]: r for r in one.rows("request_times", broker=broker, request=request)}
            if rows and rows["TotalTimeMs"]["observations"] > 20:
                found.append({phase: rows[phase] for phase in PHASES})
    return found


def figures() -> dict[str, object]:
    """The parameters as they are in force, for the benchmark's print-out."""
    return {
        "rate jitter (CV)": round(rate_jitter(), 4),
        "prompt answers per batch": tuple(round(x, 3) for x in prompt_share()),
        "idle expiries / expected": tuple(round(x, 3) for x in idle_expiries()),
        "bytes per record": round(record_bytes(), 1),
        "read delay, s": (round(min(read_delays()), 3), round(max(read_delays()), 3)),
        "offset read delay, s": (round(offset_delays()[0], 3), round(offset_delays()[-1], 3)),
        "start-up, s": (startup_seconds()[0], startup_seconds()[-1]),
        "connections per sweep and broker": sweep_connections(),
        "latency samples": sum(len(latencies(s, r)) for s in LOADED for r in ("Produce", "FetchConsumer")),
    }
