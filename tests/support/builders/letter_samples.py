"""A judged day to draw letters from: gives dossiers, findings and texts as the judge step has them."""

from typing import Any

from support.builders.letter_rows import ADVISORIES, DS, broker, day_chart, evidence, finding, signature, step


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
        advice=[
            {"causes": [], "text": "Look whether client.rack is set in the consumers.", "command": None},
            {
                "causes": ["follower"],
                "text": "Ask a consumer's machine how long a fetch takes.",
                "command": "kafka-console-consumer.sh --topic orders --consumer-property client.rack=b",
            },
            {"causes": ["redirect"], "text": "This is for another cause.", "command": None},
        ],
        rows={
            "columns": ["broker", "from_at", "consumer_fetches", "expired"],
            "rows": [["2", f"{DS}T10:{10 * i:02}:00Z", "620", "590" if i else None] for i in range(5)],
        },
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
