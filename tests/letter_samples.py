"""A judged day to draw letters from: gives dossiers, findings and texts as the judge step has them."""

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


def fetch_latency() -> dict[str, Any]:
    """A detected signature with a day that goes wrong at ten and is mended at sixteen o'clock."""
    values = [0.02 + 0.01 * (i % 3) if i < 60 or i > 96 else 0.38 + 0.02 * (i % 5) for i in range(144)]
    return signature(
        "fetch_latency",
        "Consumer fetches that wait the full fetch.max.wait.ms",
        "detected",
        detections=[
            {
                "cause": "follower",
                "strength": "conclusive",
                "subjects": ["broker 2", "topic orders"],
                "bounds": None,
                "evidence": [evidence()],
            }
        ],
        missing=["Broker 3 gave no percentiles of FetchConsumer."],
        thresholds=[
            {
                "name": "min_ratio",
                "value": 0.3,
                "unit": "ratio",
                "reason": "Healthy brokers with read topics stay below 5 %.",
                "overridden": True,
            },
            {
                "name": "min_fetches",
                "value": 200,
                "unit": "fetches",
                "reason": "Fewer say nothing about a share.",
                "overridden": False,
            },
        ],
        look_alikes=[
            {"name": "Idle groups beside a busy topic", "separated_by": "their topics have no records per second"},
            {"name": "Slow topics", "separated_by": "the share that a healthy broker would show, e^(-rate x wait)"},
        ],
        charts=[day_chart(values)],
    )


def payments() -> dict[str, Any]:
    """The dossier of a cluster with a confirmed bug, a broker that never answered, and inputs missing."""
    return {
        "schema_version": 1,
        "ds": DS,
        "cluster": "payments-eu",
        "environment": "production",
        "owners": ["payments-oncall@example.org"],
        "bootstrap_servers": ["broker-1.example.org:9092"],
        "declaration_error": None,
        "kafka_cluster_id": "Zk4u0vVQSWm0sXyR8Qh2Dg",
        "mode": "KRaft",
        "coverage": {
            "sweeps": 144,
            "first_sweep": "2026-11-20T00:00:10Z",
            "last_sweep": "2026-11-20T23:50:10Z",
            "brokers": [
                broker(1),
                broker(2, ok=140, partial=4, missing=["AcceptorBlockedPercent"]),
                broker(3, ok=0, failed=144, release=None, rack=None, failures=["timeout", "refused"]),
            ],
            "admin": {"ok": 143, "failed": 1, "failures": ["timed out"]},
            "dropped_intervals": [{"reason": "the broker was restarted between them", "count": 2}],
            "not_measured": ["No node_exporter is declared, so SYN cookies could not be seen."],
        },
        "clients": [
            {"software": "apache-kafka-java", "version": "3.2.3", "listener": "PLAINTEXT", "connections": 37.0},
            {"software": "librdkafka", "version": "2.3.0", "listener": "TLS", "connections": 1204.0},
        ],
        "signatures": [
            fetch_latency(),
            signature(
                "partition_growth",
                "Records skipped on added partitions",
                "detected",
                look_alikes=[
                    {"name": "A group's first start", "separated_by": "no commit on any partition of the topic"}
                ],
            ),
            signature("isr_stagnation", "ISR frozen in time", "quiet"),
            signature(
                "reconnect_storm",
                "Connections that come faster than they are kept",
                "not_evaluated",
                missing=["Only one sweep of socket-server-metrics."],
            ),
        ],
        "plan": {
            "now": step("broker", "3.3.2", ["KAFKA-14334"], leaves=["CVE-2026-33557"]),
            "next": step(
                "broker",
                "4.2.2",
                ["CVE-2026-33557", "KAFKA-17076"],
                opens=["KAFKA-19862"],
                steps=[
                    "Go to 3.9.2 first.",
                    "Then roll onto 4.2.2.",
                    "Raise metadata.version with kafka-features upgrade.",
                ],
                client_floor="2.1",
                why="4.2.2 is supported and closes the security advisories.",
            ),
        },
    }


def payments_findings() -> list[dict[str, Any]]:
    return [
        finding(
            "KAFKA-14334",
            "confirmed",
            signature="fetch_latency",
            cause="follower",
            strength="conclusive",
            signature_state="detected",
            subjects=["broker 2", "topic orders", "topic refunds", "group billing"],
            upgrade_to="3.3.2",
            evidence=[
                evidence(),
                evidence(
                    412.5,
                    metric="mean RemoteTimeMs of FetchConsumer",
                    unit="ms",
                    threshold=300,
                    mbean="kafka.network:type=RequestMetrics,name=RemoteTimeMs,request=FetchConsumer",
                ),
            ],
            workaround="Unset client.rack on consumers that need low latency.",
        ),
        finding(
            None,
            "look_alike",
            signature="partition_growth",
            cause="growth",
            strength="suggestive",
            severity="medium",
            signature_state="detected",
            components=["client-consumer"],
            release=None,
            exposure=None,
            subjects=["topic orders", "group billing"],
            bounds={"lower": 391, "upper": 462},
            evidence=[
                evidence(391, metric="records skipped", unit="records", threshold=1, mbean=None, where="orders-7")
            ],
            missing=["The group's reset policy is not declared."],
        ),
        finding("CVE-2026-33557", "exposed", severity="critical", upgrade_to="3.9.2", workaround="Set the validator."),
        finding("KAFKA-17076", "exposed", severity="medium", upgrade_to="3.8.0"),
        finding(
            "KAFKA-10888",
            "unknown",
            exposure="unknown",
            components=["client-producer"],
            release=None,
            missing=["The versions of the producers could not be read."],
        ),
        finding("KAFKA-12964", "not_affected", exposure="not_exposed"),
    ]


def unreached(cluster: str = "billing-us") -> dict[str, Any]:
    """The dossier of a declared cluster of which no sweep got anything."""
    empty = {"sweeps": 0, "first_sweep": None, "last_sweep": None, "brokers": [], "dropped_intervals": []}
    return payments() | {
        "cluster": cluster,
        "kafka_cluster_id": None,
        "mode": None,
        "coverage": empty
        | {"admin": {"ok": 0, "failed": 0, "failures": []}, "not_measured": ["No sweep of this day is stored."]},
        "clients": [],
        "signatures": [
            signature("fetch_latency", "Fetch latency", "not_evaluated", missing=["No sweep of this day is stored."])
        ],
        "plan": {"now": None, "next": None},
    }


def unreached_findings(cluster: str = "billing-us") -> list[dict[str, Any]]:
    return [
        finding(name, "unknown", cluster, exposure="unknown", release=None, missing=["No sweep of this day is stored."])
        for name in sorted(ADVISORIES)
    ]
