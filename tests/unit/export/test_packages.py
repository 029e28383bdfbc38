"""Products of OpenVEX: the cluster, and further package URLs where its brokers have the issue."""

from typing import Any

import pytest

from kafka_fleet.export.packages import checked_purl
from support.builders.letter_rows import finding
from support.builders.openvex_documents import IMAGE, statement

BUG, CLIENT_BUG, BOTH = "KAFKA-14334", "KAFKA-10888", "CVE-2021-38153"


def ids(product: dict[str, Any]) -> list[str]:
    return [one["@id"].removeprefix("pkg:maven/org.apache.kafka/") for one in product.get("subcomponents", ())]


def test_a_release_without_it_is_not_called_affected() -> None:
    mixed = statement(finding(BUG, "exposed"), "3.3.1", "3.3.2", "3.2.0-ccs/1")
    assert ids(mixed["products"][0]) == ["kafka_2.13@3.2.0-ccs%2F1", "kafka_2.13@3.3.1"]
    of_clients = statement(finding(BOTH, "unknown", exposure="unknown"), "3.3.1")
    assert ids(of_clients["products"][0]) == ["connect-runtime"]
    assert ids(statement(finding(BUG, "unknown", exposure="unknown"), None)["products"][0]) == ["kafka_2.13"]
    without = statement(finding(BUG, "not_affected", exposure="not_exposed"), "3.3.2", "3.4.0")
    assert ids(without["products"][0]) == ["kafka_2.13@3.3.2", "kafka_2.13@3.4.0"]


def test_further_products_are_named_where_brokers_have_it() -> None:
    package = "pkg:maven/org.apache.kafka/kafka_2.12@3.3.1?type=jar"
    others = ("pkg:maven/org.apache.kafka/kafka_2.13@3.4.0", "pkg:maven/org.apache.kafka/kafka-clients@3.3.1")
    further = (IMAGE, package, *others, IMAGE)
    cluster, image, own = statement(finding(BUG, "exposed"), "3.3.1", "3.4.0", further=further)["products"]
    assert (cluster["@id"], image["@id"], own["@id"]) == ("pkg:generic/kafka-cluster/payments-eu", IMAGE, package)
    assert image["identifiers"] == {"purl": IMAGE}
    assert ids(image) == ids(cluster) == ["kafka_2.13@3.3.1"]  # what a scanner looks for in the image
    assert "subcomponents" not in own  # it is the software itself
    # clients are in no image of the brokers
    (alone,) = statement(finding(CLIENT_BUG, "exposed"), "3.3.1", further=further)["products"]
    assert alone["@id"] == cluster["@id"]
    both = statement(finding(BOTH, "exposed"), "2.8.0", further=(IMAGE,))["products"]
    assert [ids(one) for one in both] == [["kafka_2.13@2.8.0", "connect-runtime"], ["kafka_2.13@2.8.0"]]


@pytest.mark.parametrize(
    "text", [IMAGE, "pkg:docker/apache/kafka@3.9.1", "pkg:npm/%40a/b@1#lib/x", "pkg:oci/k@sha256:a"]
)
def test_package_urls(text: str) -> None:
    assert checked_purl(text) == text
