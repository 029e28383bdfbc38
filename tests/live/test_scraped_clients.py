"""Old producers' own counts, scraped from their JVMs, prove or rule out that refused batches were lost."""

from typing import Any

import pytest

from kafka_fleet.knowledge.releases import apache_release
from support.live.measured import Measured
from support.live.scraped_clients import DECLARED, DROPPED, NAMELESS, SENT, SHORT, UNRETRIED

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.scenario("scraped-clients"),
    pytest.mark.sampled("scraped-clients"),
]
ADVISORY = "CFG-PRODUCER-RETRIES"
LOST, OLD = "records that producers gave up meanwhile", "of them those of producers older than 2.1"


def figure(finding: dict[str, Any], metric: str) -> float | None:
    return next((one["value"] for one in finding["evidence"] if one["metric"].startswith(metric)), None)


@pytest.mark.parametrize(
    ("cluster", "cause", "client"),
    [
        (DROPPED, "election", "client billing (apache-kafka-java 1.1.1)"),
        (SHORT, "min_isr", "client billing (apache-kafka-java 1.1.1)"),
        (DECLARED, "election", "client depot (by its own metrics)"),
    ],
)
def test_a_producer_of_1_1_that_gives_up_confirms_it(measured: Measured, cluster: str, cause: str, client: str) -> None:
    """By the release that its exporter tells, or that its owner declares for its client.id."""
    finding = measured.finding(cluster, ADVISORY)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", cause, "conclusive")
    assert {client, "topic orders"} <= set(finding["subjects"])
    assert figure(finding, LOST) == figure(finding, OLD)
    assert (figure(finding, OLD) or 0) >= 1
    assert finding["release"] == ("<2.1" if cluster == DECLARED else "1.1.1")
    assert apache_release(finding["upgrade_to"]) >= apache_release("2.1.0")


def test_of_two_producers_the_one_with_retries_is_not_blamed(measured: Measured) -> None:
    subjects = measured.finding(DROPPED, ADVISORY)["subjects"]
    assert not [one for one in subjects if "shop" in one]
    told = {(row["client_id"], row["software_version"]) for row in measured.facts("producer_releases", cluster=DROPPED)}
    assert told == {("billing", "1.1.1"), ("shop", "1.1.1")}
    again = {row["client_id"] for row in measured.facts("producer_intervals", cluster=DROPPED) if row["retries"]}
    assert again == {"shop"}


def test_a_producer_of_1_1_with_retries_set_confirms_nothing(measured: Measured) -> None:
    finding = measured.finding(SENT, ADVISORY)
    assert (finding["verdict"], finding["strength"]) == ("exposed", "suggestive")
    assert (figure(finding, LOST), figure(finding, OLD)) == (None, None)


@pytest.mark.parametrize(("cluster", "client"), [(UNRETRIED, "ledger"), (NAMELESS, "depot")])
def test_a_loss_by_a_producer_that_is_not_known_to_be_old_is_a_look_alike(
    measured: Measured, cluster: str, client: str
) -> None:
    """One of 3.9.1 whose owner set retries to 0, and one of which nobody tells the release."""
    rows = [one for one in measured.findings(cluster) if one["signature"] == "retriable_errors"]
    own, symptom = (next(one for one in rows if one["advisory"] == key) for key in (ADVISORY, None))
    assert own["verdict"] == "unknown"
    assert (symptom["verdict"], symptom["strength"]) == ("look_alike", "conclusive")
    assert f"client {client} (by its own metrics)" in symptom["subjects"]
    assert (figure(symptom, OLD), bool(figure(symptom, LOST))) == (None, True)


def test_each_process_is_a_client_of_its_own(measured: Measured) -> None:
    rows = [row for row in measured.raw("client_metrics", DROPPED) if row["topic"] is None]
    assert {row["client_instance_id"] for row in rows} == {f"{r['client_id']}@{r['instance']}" for r in rows}
    assert {row["software_version"] for row in rows} == {"1.1.1"}
