"""What a plan says of clients before 4.x: whom brokers counted, that there was nobody, or why the owner is asked."""

from dataclasses import replace

import pytest

from kafka_fleet.knowledge.facts import ClusterFacts
from support.builders.planned import facts, planned

ASK = "See that no Java client below 2.1 is connected"
UNREAD = "2 of 2 brokers run a release before 3.7"


def answered(holds: bool | None, sentence: str, *clients: str, missing: tuple[str, ...] = ()) -> ClusterFacts:
    """Two brokers of 3.9.1 that answered so, and a client library without a name."""
    known = facts("3.9.1", "3.9.1", level="3.9-IV0")
    name = "old_protocol"
    return replace(
        known, measured={name: holds}, because={name: sentence}, found={name: clients}, unread={name: missing}
    )


def steps(known: ClusterFacts) -> str:
    """The sentences of the step that leads to 4.x."""
    return "\n".join(planned(known)["next"]["steps"])


def test_clients_that_were_counted_are_named_and_the_owner_is_not_asked() -> None:
    known = answered(
        True, "brokers from 4.0 on refuse old-java 0.10 (Produce 2, last 11:30 UTC)", "client old-java 0.10"
    )
    assert "Upgrade these clients first: brokers from 4.0 on refuse old-java 0.10 (Produce 2" in steps(known)
    assert ASK not in steps(known)
    plan = planned(known)["old_protocol"]
    assert (plan["answer"], plan["clients"], plan["missing"]) == (True, ["client old-java 0.10"], [])


def test_a_quiet_day_is_said_with_who_measured_it_and_for_how_long() -> None:
    said = "no client used an API that 4.0 removes, measured by 2 of 2 brokers in 23.8 hours"
    known = answered(False, said)
    assert f"N{said[1:]}; a job that did not run in that time was not seen." in steps(known)
    assert ASK not in steps(known)


@pytest.mark.parametrize("holds", [None, True])
def test_where_brokers_cannot_count_the_owner_is_asked_with_the_reason(holds: bool | None) -> None:
    known = answered(holds, "brokers from 4.0 on refuse Produce 2 of clients that are not told", missing=(UNREAD,))
    assert ASK in steps(known)
    assert f"Brokers did not tell: {UNREAD}." in steps(known)
    assert ("Upgrade these clients first" in steps(known)) is bool(holds)


def test_a_cluster_of_4_has_nothing_of_it() -> None:
    assert planned(facts("4.1.1"))["old_protocol"] is None
