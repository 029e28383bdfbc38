"""What an exposure means on a cluster: environment, use, size and reach weigh it; and where its page is."""

from typing import Any

import pytest

from kafka_fleet.base.errors import UsageError
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.exposure_weight import exposure_weight, told_of, weighed_exposures
from kafka_fleet.report.finding_addresses import SETTING, cluster_url, finding_place, finding_url, page_url
from support.builders.letter_rows import broker, finding
from support.builders.letter_samples import payments

KNOWN = load_advisories()
AT = "2026-11-20T10:00:00Z"


def exposed(name: str, **more: Any) -> Finding:
    known = KNOWN[name]
    row = finding(name, "exposed", severity=known.severity, components=list(known.components), **more)
    return Finding.model_validate(row)


def cluster(partitions: int | None = None, environment: str = "production") -> ClusterReport:
    content = payments() | {"environment": environment}
    content["coverage"] |= {"brokers": [broker(number, partitions=partitions) for number in (1, 2, 3)]}
    return ClusterReport.model_validate(content)


def score(name: str, report: ClusterReport, **more: Any) -> float:
    return exposure_weight(exposed(name, **more), KNOWN[name], report).score


def test_an_issue_of_very_many_partitions_weighs_little_on_a_small_cluster() -> None:
    small, large = cluster(partitions=300), cluster(partitions=40_000)
    assert score("KAFKA-12686", small) == score("KAFKA-12686", large) + 2
    assert score("KAFKA-12686", cluster()) == score("KAFKA-12686", large), "not known is not small"
    reasons = exposure_weight(exposed("KAFKA-12686"), KNOWN["KAFKA-12686"], small).reasons
    assert "it was seen from about 25,000 partitions per broker on, and here are 300" in reasons
    assert "would hit 3 brokers" in reasons


def test_what_anybody_can_reach_and_what_is_in_use_come_first() -> None:
    report = cluster()
    names = ["CVE-2025-27818", "CVE-2023-34455", "CVE-2026-111108"]  # of the same severity
    assert len({KNOWN[name].severity for name in names}) == 1
    order = weighed_exposures([exposed(name) for name in names], KNOWN, report)
    assert [one.advisory for one, _weight in order] == names[::-1]
    assert "open to anyone who reaches a listener" in order[0][1].reasons
    assert "whether what it needs is in use is not seen" in order[-1][1].reasons


def test_a_measurement_that_points_to_it_makes_it_pressing_and_development_less() -> None:
    pointed = {"signature": "fetch_latency", "signature_state": "detected", "cause": "follower"}
    assert score("KAFKA-14334", cluster(), **pointed) < score("KAFKA-14334", cluster()) - 1
    assert score("KAFKA-14334", cluster(environment="development")) == score("KAFKA-14334", cluster()) + 2


def test_a_disk_that_will_be_full_comes_before_what_may_happen_and_tells_when() -> None:
    lines = {
        "until the disk is full, at the soonest": (2.5, "days"),
        "until the disk is full, at the latest": (3, "days"),
        "used share of the disk": (0.85, "ratio"),
        "growth in a day": (50, "GB/day"),
    }
    evidence = [
        {"metric": metric, "value": value, "unit": unit, "threshold": None, "where": where, "from": AT, "to": AT,
         "mbean": "admin:DescribeLogDirs"}
        for where in ("broker 1, /data", "broker 2, /data")
        for metric, (value, unit) in lines.items()
    ]  # fmt: skip
    full = exposed("OPS-REPLICA-DISK", evidence=evidence, subjects=["broker 1", "broker 2"])
    order = weighed_exposures([exposed("CVE-2025-27818"), full], KNOWN, cluster())
    assert order[0][0].advisory == "OPS-REPLICA-DISK"
    assert order[0][1].reasons == ("high", "full in 2.5 to 3 days: broker 1, /data", "would hit 2 brokers")
    near = exposed("OPS-REPLICA-DISK", evidence=evidence[2:3])
    assert told_of(near, KNOWN["OPS-REPLICA-DISK"]) == "used to 85 %: broker 1, /data"
    assert exposure_weight(exposed("OPS-REPLICA-DISK"), KNOWN["OPS-REPLICA-DISK"], cluster()).reasons[:1] == ("high",)


def test_every_security_issue_says_who_can_bring_it_about() -> None:
    assert [one.id for one in KNOWN.values() if one.security and one.reach is None] == ["CVE-2026-35554"], "by itself"
    assert [one.id for one in KNOWN.values() if one.reach is not None and not one.security] == []


def test_an_address_is_the_same_on_every_day_and_holds_no_markup() -> None:
    one = exposed("KAFKA-14334")
    assert finding_place(one) == "finding-KAFKA-14334"
    symptom = Finding.model_validate(finding(None, "look_alike", signature="partition_growth", cause="growth"))
    assert finding_place(symptom) == "finding-symptom-partition_growth-growth"
    hostile = Finding.model_validate(finding('"><script>', "exposed"))
    assert finding_place(hostile) == "finding-script"
    base = "https://airflow.example.org/fleet-health/"
    assert finding_url(base, "entry 3", one) == f"{base}clusters/entry%203#finding-KAFKA-14334"
    assert cluster_url(base, "a", "2026-11-20", "exposed") == f"{base}clusters/a?day=2026-11-20#exposed"
    assert finding_url("", "a", one) == ""
    assert cluster_url("javascript:alert(1)", "a") == ""


def test_the_address_of_the_page_is_checked() -> None:
    assert page_url({}) == ""
    assert page_url({SETTING: ""}) == ""
    assert page_url({SETTING: "https://x.example.org/fleet-health/"}) == "https://x.example.org/fleet-health"
    for text in ("fleet-health", "javascript:alert(1)", "https://x.example.org/?a=1", 'https://x"onload=1'):
        with pytest.raises(UsageError, match=SETTING):
            page_url({SETTING: text})
