"""What is known of one cluster on one day, in the shape that advisories are judged against: plain frozen data.

Values follow one rule: None means "not read", empty means "read, and there is nothing".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["KRaft", "ZooKeeper"]
Scalar = str | int | float | bool


@dataclass(frozen=True)
class BrokerFacts:
    """One Kafka process. `configs` as DescribeConfigs gives them, through `config_text`; empty map: none were read.

    release: version text of app-info, None when not read. rack: None not read, "" none set.
    is_controller: holds the controller role (KRaft) or is the elected one (ZooKeeper).
    is_broker: False for a dedicated KRaft controller. unseen: settings that are set, to a value that is not shown.
    """

    broker: int
    release: str | None
    rack: str | None = None
    is_controller: bool = False
    configs: Mapping[str, str | None] = field(default_factory=dict)
    is_broker: bool = True
    unseen: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{'broker' if self.is_broker else 'controller'} {self.broker}"


@dataclass(frozen=True)
class ClientSoftware:
    """One client library seen by the brokers on one listener; connections less those that brokers hold themselves.

    share: the largest part of the listener's client connections in any sweep, an upper bound for producers or
    consumers alone; None where it was not measured. first_seen, last_seen: ISO 8601 UTC. declared: by the owner, not
    seen, so version may be a range. client_id: of a producer that tells its release itself, on whatever listener.
    """

    software: str
    version: str
    listener: str
    connections: float
    share: float | None = None
    first_seen: str | None = None
    last_seen: str | None = None
    declared: bool = False
    client_id: str = ""

    def __str__(self) -> str:
        if self.client_id:
            return f"client {self.client_id} ({self.software} {self.version})"
        said = " (declared)" if self.declared else ""
        return f"client {self.software} {self.version}{f' on listener {self.listener}' if self.listener else ''}{said}"


@dataclass(frozen=True)
class GroupMember:
    """A client id and host of a group's members, as DescribeGroups names them. framework: streams, connect or None."""

    group: str
    client_id: str
    host: str
    framework: Literal["streams", "connect"] | None = None


@dataclass(frozen=True)
class ClusterFacts:
    """One cluster. `clients`, `groups` and `members` None: the brokers cannot tell (below 2.5) or were not asked.

    measured: named yes/no facts that a test `{measured: name}` asks for, e.g. replication_factor_1.
    producers: those that tell their own release, where metrics of clients are read.
    because: the sentence beside each of them; found: whom it names; unread: what it could not be read from.
    """

    brokers: tuple[BrokerFacts, ...]
    mode: Mode | None = None
    clients: tuple[ClientSoftware, ...] | None = None
    metadata_version: str | None = None
    groups: tuple[str, ...] | None = None
    members: tuple[GroupMember, ...] | None = None
    measured: Mapping[str, bool | None] = field(default_factory=dict)
    because: Mapping[str, str] = field(default_factory=dict)
    found: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    producers: tuple[ClientSoftware, ...] = ()


@dataclass(frozen=True)
class Declared:
    """What the owner says of clients in the fleet file: settings per group pattern, one entry per producer fleet."""

    groups: Mapping[str, Mapping[str, Scalar]] = field(default_factory=dict)
    producers: tuple[Mapping[str, Scalar], ...] = ()

    @classmethod
    def from_fleet(cls, client_configs: Mapping[str, Any] | None) -> "Declared":
        """From `client_configs` of a fleet entry as plain JSON."""
        content = client_configs or {}
        producers = tuple({k: v for k, v in entry.items() if v is not None} for entry in content.get("producers", []))
        return cls(dict(content.get("groups", {})), producers)


def config_text(value: str | None, sensitive: bool) -> str | None:
    """A config for BrokerFacts: None when the broker hides it, "" when it is shown and has no value."""
    return None if sensitive else (value or "")
