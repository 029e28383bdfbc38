"""What became of a cluster while its brokers were restarted: durations, errors, connections, groups, leadership."""

from typing import Literal

from pydantic import Field

from kafka_fleet.documents.document import Document, Number, Text

Stop = Literal["controlled", "killed", "some_killed", "unknown"]
Kind = Literal["restart", "roll", "upgrade"]


class BrokerRestart(Document):
    """One broker that came back as another process."""

    broker: int = Field(description="its id")
    stop: Stop = Field(description="how the old process ended; some_killed: at least one of several was killed")
    from_release: Text | None = Field(description="of the old process; null: not read")
    to_release: Text | None = Field(description="of the new one; null: not read")
    last_seen: Text = Field(description="the last read of the old process, ISO 8601 in UTC")
    process_start: Text = Field(description="of the new one, by its own clock")
    first_seen: Text = Field(description="the first read of the new one")
    start_seconds: Number | None = Field(description="from the start of its JVM until it was up; null: not told")
    remaining_logs: int | None = Field(description="the most logs that it was seen to have to recover; null: not read")
    in_sync: Text | None = Field(description="first sweep with all its replicas in sync; null: none of the day")
    away_seconds: Number = Field(description="from last_seen to in_sync, at most; to the day's last sweep without it")


class Bounds(Document):
    """A time that sweeps bound from both sides."""

    at_least: Number = Field(description="s, between sweeps that both showed it")
    at_most: Number = Field(description="s, between the sweeps around them that did not")
    most: int = Field(description="partitions at the worst sweep")


class ErrorCount(Document):
    """Responses with one error code: of the roll, and of as long a time before and after it."""

    request: Text = Field(description="Produce or Fetch")
    error: Text = Field(description="the code's name")
    before: int = Field(description="responses")
    during: int = Field(description="responses")
    after: int = Field(description="responses")


class Reconnects(Document):
    """Connections that a restarted broker was given from the start of its process to its first read."""

    broker: int = Field(description="its id")
    listener: Text = Field(description="the listener")
    created: int = Field(description="connections that were made")
    held_before: int | None = Field(description="by the process before; null: not read")
    seconds: Number = Field(description="within this time")
    overflows: int | None = Field(description="of the host's queue of new connections; null: no host metrics")


class SymptomChange(Document):
    """One figure of a signature before, during and after the roll: the mean over its intervals."""

    signature: Text = Field(description="the signature")
    title: Text = Field(description="what the figure is")
    unit: Text | None = Field(description="its unit")
    threshold: Number | None = Field(description="in force for the cluster; null: none")
    before: Number | None = Field(description="null: no interval")
    during: Number | None = Field(description="null: no interval")
    after: Number | None = Field(description="null: no interval")


class PreferredAway(Document):
    """Partitions of one preferred leader that another broker leads."""

    broker: int = Field(description="its id")
    away: int = Field(description="partitions")
    out_of_sync: int = Field(description="of them, those that it is not in sync of")
    topics: list[Text] = Field(default_factory=list, description="those with the most such partitions")


class InSync(Document):
    """A broker with all its replicas in sync."""

    broker: int = Field(description="its id")
    at: Text = Field(description="the first sweep of the day that showed it, ISO 8601 in UTC")


class Leadership(Document):
    """Partitions whose preferred leader is a broker that was restarted, and which another one leads."""

    at: Text = Field(description="the sweep after the roll that was looked at, ISO 8601 in UTC")
    away: int = Field(description="partitions")
    out_of_sync: int = Field(description="of them, those whose preferred leader is not in sync")
    topics: list[Text] = Field(description="those with the most such partitions")
    preferred: list[PreferredAway] | None = Field(
        default=None, description="of each broker of the cluster that has any; null: earlier versions do not say"
    )


class RollReport(Document):
    """Restarts that followed each other, and what they did."""

    kind: Kind = Field(description="restart: of one broker; roll: of several; upgrade: to another release")
    begin: Text = Field(description="the last read before the first restart, ISO 8601 in UTC")
    end: Text = Field(description="when all were in sync again, else the last first read")
    restarts: list[BrokerRestart] = Field(description="in their order")
    under_min_isr: Bounds | None = Field(description="of any partition; null: no broker told")
    errors: list[ErrorCount] = Field(description="codes other than NONE, the most during the roll first")
    reconnects: list[Reconnects] = Field(description="per broker and listener, the most connections first")
    rebalances: int | None = Field(description="that coordinators completed meanwhile; null: not told")
    groups_moved: int | None = Field(description="groups that another broker coordinated for a time; null: not read")
    groups: list[Text] = Field(description="those of them with the most members")
    rebalancing: list[Text] = Field(default_factory=list, description="groups that a sweep of the roll saw rebalance")
    leadership: Leadership | None = Field(description="after it; null: no sweep of the day with metadata")
    symptoms: list[SymptomChange] = Field(description="figures of signatures around it")
    first_in_sync: list[InSync] = Field(
        default_factory=list, description="of a roll that begins within an hour after midnight: brokers in sync again"
    )
    since: Text | None = Field(
        default=None,
        description="the earlier day on which it began, whose part is added where it is read; else null",
    )
    goes_on: Text | None = Field(
        default=None, description="the next day, which tells the whole roll; said where it is read, else null"
    )

    @property
    def to_releases(self) -> list[str]:
        """Releases that brokers came back with."""
        return sorted({one.to_release for one in self.restarts if one.to_release})
