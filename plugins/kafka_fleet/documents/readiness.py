"""Whether brokers may be stopped now: the answer, and each reason for it as data. Words are made where it is shown."""

from collections.abc import Collection
from typing import Literal

from pydantic import Field

from kafka_fleet.documents.document import Document, Number, Text

ReadinessState = Literal["ready", "not_ready", "unknown"]
Level = Literal["blocks", "unmeasured", "warns", "notes"]
LEVELS: tuple[Level, ...] = ("blocks", "unmeasured", "warns", "notes")  # the most pressing first
NAMED = 5  # topics, groups or listeners that a reason names


class ReadinessReason(Document):
    """One thing that was looked at, and speaks for or against stopping a broker."""

    code: Text = Field(description="what it is, such as `under_min_isr`; docs/rolling.md has all of them")
    level: Level = Field(description="blocks: it must not begin; unmeasured: not known; warns, notes: it may")
    broker: int | None = Field(default=None, description="the broker that would be stopped; null: of the cluster")
    names: list[Text] = Field(default_factory=list, description="topics, groups, listeners, libraries; the worst first")
    count: int | None = Field(default=None, description="how many there are in all: partitions, groups, connections")
    limit: Number | None = Field(default=None, description="what the count is compared with; null: with nothing")
    about: Text | None = Field(default=None, description="a further word: a release, a day, the name of a table")


class BrokerReadiness(Document):
    """The answer for one broker."""

    broker: int = Field(description="its id")
    state: ReadinessState = Field(description="ready, not_ready, or unknown")


class Readiness(Document):
    """Whether each broker of a cluster could be stopped at one sweep."""

    sweep_at: Text | None = Field(description="the sweep that was looked at, ISO 8601 in UTC; null: there is none")
    target: Text | None = Field(default=None, description="the release that was asked for; null: a roll without one")
    brokers: list[BrokerReadiness] = Field(description="each broker that was asked for")
    reasons: list[ReadinessReason] = Field(description="the most pressing first")

    @property
    def state(self) -> ReadinessState:
        """Of all brokers that were asked for: one that must not be stopped decides, then one that is not known."""
        states = {one.state for one in self.brokers}
        if "not_ready" in states or (not states and any(one.level == "blocks" for one in self.reasons)):
            return "not_ready"
        return "ready" if states == {"ready"} else "unknown"

    def of(self, state: ReadinessState) -> list[int]:
        """The brokers of one state."""
        return [one.broker for one in self.brokers if one.state == state]


def answered(
    sweep_at: str | None,
    target: str | None,
    brokers: Collection[int],
    reasons: Collection[ReadinessReason],
    checked: Collection[str] = (),
) -> Readiness:
    """The answer that follows from the reasons. checked: codes that somebody has seen to; they decide nothing."""
    told = [
        one.model_copy(update={"level": "notes"}) if one.code in checked and one.level != "notes" else one
        for one in reasons
    ]
    order = sorted(told, key=lambda one: (LEVELS.index(one.level), -1 if one.broker is None else one.broker))
    states: dict[int, ReadinessState] = {}
    for broker in sorted(brokers):
        levels = {one.level for one in order if one.broker in (None, broker)}
        states[broker] = "not_ready" if "blocks" in levels else "unknown" if "unmeasured" in levels else "ready"
    return Readiness(
        sweep_at=sweep_at,
        target=target,
        brokers=[BrokerReadiness(broker=broker, state=state) for broker, state in states.items()],
        reasons=order,
    )
