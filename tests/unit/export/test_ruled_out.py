"""Why a cluster is not affected: no more is said than releases, mode and preconditions show."""

import pytest

from support.builders.letter_rows import finding
from support.builders.openvex_documents import statement

BUG, CLIENT_BUG = "KAFKA-14334", "KAFKA-10888"
SASL, TLS, QUORUM = "CVE-2024-56128", "KAFKA-13559", "KAFKA-14265"


@pytest.mark.parametrize(
    ("advisory", "releases", "status", "justification", "said"),
    [
        (BUG, ["3.3.2", "3.4.0"], "fixed", None, None),
        (BUG, ["2.3.1"], "not_affected", "vulnerable_code_not_present", "No broker runs a release that has it: 2.3.1."),
        (BUG, ["2.3.1", "3.4.0"], "not_affected", "vulnerable_code_not_present", "2.3.1, 3.4.0"),
        (BUG, ["7.4.1-ccs"], "not_affected", "vulnerable_code_not_present", "a release that has it: 7.4.1-ccs."),
        # an affected release, or one that is not known: then a precondition ruled it out
        (TLS, ["2.8.0"], "not_affected", "vulnerable_code_not_in_execute_path", "It needs this, which does not hold"),
        (BUG, ["3.3.1"], "not_affected", "vulnerable_code_not_in_execute_path", "The brokers have a replica selector"),
        (BUG, ["3.3.2", None], "not_affected", "vulnerable_code_not_in_execute_path", "The brokers have a replica"),
        (BUG, ["7.3.1-ccs"], "not_affected", "vulnerable_code_not_in_execute_path", "The brokers have a replica"),
        (CLIENT_BUG, ["3.3.1"], "not_affected", None, "No broker and client that was seen"),
    ],
)
def test_why_a_cluster_is_not_affected(advisory, releases, status, justification, said) -> None:
    found = statement(finding(advisory, "not_affected", exposure="not_exposed"), *releases)
    assert (found["status"], found.get("justification")) == (status, justification)
    assert said in found["impact_statement"] if said else "impact_statement" not in found


@pytest.mark.parametrize(
    ("advisory", "releases", "mode", "said"),
    [
        # one false precondition is enough, and the verdict does not say which: nothing is said of each of them
        (
            SASL,
            ["3.3.1"],
            "KRaft",
            "It needs all of these, and at least one does not hold here: A listener speaks SASL without TLS. A SCRAM "
            "mechanism is enabled.",
        ),
        # an owner may have declared that no consumer sets client.rack, so the selector need not be it
        (
            BUG,
            ["3.3.1"],
            "KRaft",
            "It needs all of these, and at least one does not hold here: The brokers have a replica selector, without "
            "which nobody reads from followers. A consumer sets client.rack to the rack of a follower.",
        ),
        (TLS, ["2.8.0"], None, "It needs this, which does not hold here: A listener of the broker speaks TLS."),
        # the mode is in the report: what it rules out is known, and what it allows cannot be what does not hold
        (
            QUORUM,
            ["3.2.0"],
            "ZooKeeper",
            "It needs this, which does not hold here: The cluster keeps its metadata in a KRaft quorum.",
        ),
        (
            QUORUM,
            ["3.2.0"],
            "KRaft",
            "It needs this, which does not hold here: Access is decided by the authorizer that keeps ACLs in the "
            "quorum.",
        ),
        (QUORUM, ["3.2.0"], None, "It needs all of these, and at least one does not hold here: The cluster keeps"),
        # a broker that its release rules out may well have the precondition
        (TLS, ["2.8.0", "3.4.0"], None, "does not hold on any broker whose release has it: A listener"),
        (TLS, ["3.4.0", None], None, "does not hold on any broker whose release has it or is not known: A listener"),
        (SASL, ["3.3.1", "4.0.0"], None, "at least one does not hold on each broker whose release has it: A listener"),
        ("KAFKA-15489", ["3.3.1"], "KRaft", "No broker and client that was seen on"),  # judged by an older catalogue
    ],
)
def test_no_more_is_said_of_preconditions_than_is_known(advisory, releases, mode, said) -> None:
    found = statement(finding(advisory, "not_affected", exposure="not_exposed"), *releases, mode=mode)
    assert said in found["impact_statement"]
