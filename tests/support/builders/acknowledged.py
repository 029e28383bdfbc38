"""A finding and its acknowledgement: takes changes, gives both as they are stored."""

from support.builders.documents import of_finding
from support.builders.letter_rows import DS, finding

BASIS = "replica.selector.class is RackAwareReplicaSelector"
SAID = ("Upgrade is planned for January.", "oncall@example.org", "2026-12-31")


def row(**more):
    return {**finding("KAFKA-14334", "confirmed", subjects=["broker 2", "topic a"]), "basis": [BASIS], **more}


def entry(**more):
    return of_finding(row(), "payments-eu", DS, *SAID).model_copy(update=more)
