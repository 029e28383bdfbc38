"""Parts of judged documents: gives advisory texts, a finding, a figure, a chart, a broker, a signature, a plan step."""

from dataclasses import dataclass
from typing import Any

DS = "2026-11-20"


@dataclass(frozen=True)
class Shown:
    id: str
    causes: tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """The attributes of an advisory that a letter quotes."""

    title: str
    summary: str
    mechanism: str
    workaround: str
    why_upgrade: str
    sources: tuple[str, ...]
    signature: Shown | None = None
    preconditions: tuple[Any, ...] = ()
    reach: str | None = None
    partitions_per_broker: int | None = None


ADVISORIES = {
    "KAFKA-14334": Text(
        "Fetches on a follower wait the full fetch.max.wait.ms",
        "A consumer that reads from the replica of its own rack gets each record up to half a second late.",
        "The follower parks the fetch and is not woken when its own log grows, so only the timeout answers.",
        "Unset client.rack on consumers that need low latency, so that they read from the leader.",
        "3.3.2 wakes parked fetches when the follower's high watermark moves.",
        ("KAFKA-14334", "https://kafka.apache.org/downloads#3.3.2", "commit 1a2b3c"),
        Shown("fetch_latency", ("follower",)),
    ),
    "KAFKA-10888": Text(
        "Sticky partitioner feeds the slow broker more",
        "Records without a key pile up on the partitions of the slowest broker.",
        "The batch of a slow broker closes late, so it takes more records than the others.",
        "Set partitioner.class to the round-robin partitioner.",
        "3.3.2 chooses by bytes and not by batches.",
        ("KAFKA-10888",),
        Shown("partition_skew", ("leader_bound",)),
    ),
    "CVE-2026-33557": Text(
        "Forged tokens are accepted",
        "A client can log in as anybody.",
        "The token's signature is not verified when no validator class is set.",
        "Set the validator class.",
        "3.9.2 verifies by default.",
        ("CVE-2026-33557",),
    ),
    "KAFKA-17076": Text(
        "Log cleaner stalls on an aborted segment",
        "Compacted topics grow without end.",
        "The cleaner stops at an offset gap.",
        "Restart the broker.",
        "3.8.0 skips the gap.",
        ("KAFKA-17076",),
    ),
    "KAFKA-12964": Text(
        "Producer ids are lost after a killed broker",
        "Producers fail with OUT_OF_ORDER_SEQUENCE after a broker was killed.",
        "The snapshot is older than the recovered log.",
        "Stop brokers with SIGTERM.",
        "3.0.1 writes the snapshot first.",
        ("KAFKA-12964",),
        Shown("unclean_restart", ("killed",)),
    ),
}


def finding(advisory: str | None, verdict: str, cluster: str = "payments-eu", **more: Any) -> dict[str, Any]:
    """One row of findings.json; everything not named is null or empty."""
    row: dict[str, Any] = {
        "schema_version": 1,
        "ds": DS,
        "cluster": cluster,
        "advisory": advisory,
        "signature": None,
        "cause": None,
        "strength": None,
        "verdict": verdict,
        "severity": "high",
        "components": ["broker"],
        "exposure": "exposed",
        "signature_state": None,
        "release": "3.3.1",
        "subjects": [],
        "upgrade_to": None,
        "workaround": None,
        "missing": [],
        "bounds": None,
        "evidence": [],
    }
    return row | more


def evidence(value: Any = 0.45, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "metric": "expired consumer fetches / consumer fetches",
        "value": value,
        "unit": "ratio",
        "threshold": 0.3,
        "where": "broker 2",
        "from": "2026-11-20T10:00:00Z",
        "to": "2026-11-20T10:10:00Z",
        "mbean": "kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=consumer",
    }
    return row | more


def day_chart(values: list[float], unit: str = "ratio", threshold: float | None = 0.3) -> dict[str, Any]:
    """One point every ten minutes from midnight."""

    def at(minutes: int) -> str:
        return "2026-11-21T00:00:00Z" if minutes == 1440 else f"{DS}T{minutes // 60:02}:{minutes % 60:02}:00Z"

    points = [
        {"from": at(10 * i), "to": at(10 * i + 10), "value": value, "reference": 0.02} for i, value in enumerate(values)
    ]
    return {
        "title": "Expired share of consumer fetches, broker 2",
        "unit": unit,
        "threshold": threshold,
        "points": points,
    }


def broker(number: int, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "broker": number,
        "host": f"broker-{number}.example.org",
        "rack": "ab"[number % 2],
        "release": "3.3.1",
        "ok": 144,
        "partial": 0,
        "truncated": 0,
        "failed": 0,
        "failures": [],
        "missing": [],
    }
    return row | more


def signature(name: str, title: str, state: str, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "signature": name,
        "title": title,
        "state": state,
        "detections": [],
        "missing": [],
        "thresholds": [],
        "look_alikes": [],
        "remeasure": f"curl -s http://broker-2.example.org:8778/jolokia/read/{name}",
        "charts": [],
    }
    return row | more


def step(component: str, release: str, closes: list[str], **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "component": component,
        "release": release,
        "closes": closes,
        "leaves": [],
        "opens": [],
        "steps": [f"Roll the brokers one by one onto the {release} binaries."],
        "client_floor": None,
        "why": f"{release} is the smallest release that closes everything confirmed.",
    }
    return row | more
