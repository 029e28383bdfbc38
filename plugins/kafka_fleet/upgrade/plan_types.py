"""What a plan is made of: the findings that it answers, its steps, and the releases to choose from."""

from typing import Protocol, TypedDict

from kafka_fleet.upgrade.context import Candidate, Outcome
from kafka_fleet.upgrade.old_protocol import OldProtocol


class Step(Outcome):
    """One step of a plan: what to which release, how, and what it changes."""

    component: str
    release: str
    steps: list[str]
    client_floor: str | None
    why: str


class Candidates(TypedDict):
    """Releases to choose from, by what is upgraded."""

    server: list[Candidate]
    client: list[Candidate]


class Plan(TypedDict):
    """What to upgrade: for brokers, in two steps, and the client libraries."""

    now: Step | None
    next: Step | None
    clients: Step | None
    candidates: Candidates
    note: str | None
    old_protocol: OldProtocol | None


class Judged(Protocol):
    """What a plan asks of a finding."""

    @property
    def advisory(self) -> str | None:
        """Id of its known issue; None: a symptom that none explains."""

    @property
    def verdict(self) -> str:
        """Its verdict."""
