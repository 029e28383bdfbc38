"""The closed vocabulary of tests: takes one broker's facts or an owner's declaration, gives yes, no or not readable."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts, Declared, Mode, Scalar
from kafka_fleet.schema.config_names import allowed

Operator = Literal[
    "set", "unset", "equals", "not_equals", "includes", "at_most", "at_least", "version_below", "version_at_least"
]


class Answer(NamedTuple):
    """True, False or None (not readable), and the sentence that says why."""

    holds: bool | None
    because: str


def protocol_level(text: str) -> tuple[int, ...] | None:
    """Order key of an inter.broker.protocol.version or metadata.version; a bare line counts as its last level."""
    found = re.fullmatch(r"(\d+)\.(\d+)(?:\.\d+)*(?:-IV(\d+))?", text.strip())
    return (int(found[1]), int(found[2]), int(found[3] or 10**6)) if found else None


class Strict(BaseModel):
    """Base of the models here: unknown keys are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Compares(Strict):
    is_: Operator = Field(alias="is")
    value: Scalar | None = None

    @model_validator(mode="after")
    def _needs_value(self) -> "_Compares":
        if (self.is_ in ("set", "unset")) != (self.value is None):
            raise ValueError(f"`is: {self.is_}` {'takes no' if self.value is not None else 'needs a'} value")
        if self.is_.startswith("version_") and protocol_level(str(self.value)) is None:
            raise ValueError(f"value {self.value!r} is no protocol or metadata version such as 2.7-IV2")
        if self.is_ in ("at_most", "at_least") and not isinstance(self.value, int | float):
            raise ValueError(f"value {self.value!r} is no number")
        return self

    def compare(self, text: str) -> bool | None:
        """Judge a value that was read; None when it cannot be understood."""
        wanted = str(self.value).casefold()
        match self.is_:
            case "set" | "unset":
                return (text.strip() != "") == (self.is_ == "set")
            case "equals" | "not_equals":
                return (text.strip().casefold() == wanted) == (self.is_ == "equals")
            case "includes":
                return any(fnmatchcase(part.strip().casefold(), wanted) for part in text.split(","))
            case "version_below" | "version_at_least":
                have, bound = protocol_level(text), protocol_level(str(self.value))
                return None if have is None or bound is None else (have < bound) == (self.is_ == "version_below")
        if not re.fullmatch(r"-?\d+(\.\d+)?", text.strip()):
            return None
        number = float(text)
        return number <= float(str(self.value)) if self.is_ == "at_most" else number >= float(str(self.value))


class BrokerConfig(_Compares):
    """A setting of the broker: `{broker_config: replica.selector.class, is: set}`.

    per_listener: Kafka takes it as `listener.name.NAME.…` too, which goes before the broker's own. Such values are
    never stored, so where the broker reports one of these names, only that it is set there is known.
    """

    broker_config: str
    per_listener: bool = False

    @model_validator(mode="after")
    def _stored(self) -> "BrokerConfig":
        """A value that is never stored would answer nothing, for ever and on every cluster."""
        name = self.broker_config
        if name not in allowed("broker") and not (name in allowed("set_or_not") and self.is_ in ("set", "unset")):
            raise ValueError(f"{name} is not in config_names.yaml, so its value is never stored; add it there first")
        return self

    def ask(self, broker: BrokerFacts, facts: ClusterFacts) -> Answer:
        """Absent from what the broker reports (it has no such setting) differs from not read and from hidden."""
        name = self.broker_config
        if not broker.configs:
            return Answer(None, f"the settings of {broker} were not read ({name})")
        own = [key for key in broker.configs if key.startswith("listener.name.") and key.endswith(f".{name}")]
        if self.per_listener and own:
            return Answer(None, f"{broker} sets {name} per listener, to a value that is not shown")
        if name not in broker.configs:
            absent = {"set": False, "includes": False, "unset": True, "not_equals": True}.get(self.is_)
            return Answer(absent, f"{broker} reports no setting {name}")
        text = broker.configs[name]
        if name in broker.unseen and self.is_ in ("set", "unset"):
            return Answer(self.is_ == "set", f"{name} is set on {broker}, to a value that is not shown")
        if text is None:
            return Answer(None, f"{broker} does not show the value of {name}")
        shown = text if len(text) <= 80 else text[:77] + "..."
        return Answer(self.compare(text), f"{name} is {shown or 'unset'} on {broker}")


class DistinctRacks(Strict):
    """At least so many different racks: `{distinct_racks: 2}`."""

    distinct_racks: int = Field(ge=1)

    def ask(self, broker: BrokerFacts, facts: ClusterFacts) -> Answer:
        """Racks that were not read could only add to the count."""
        racks = {b.rack for b in facts.brokers if b.is_broker and b.rack}
        unread = any(b.rack is None for b in facts.brokers if b.is_broker)
        enough = True if len(racks) >= self.distinct_racks else (None if unread else False)
        return Answer(enough, f"{len(racks)} different racks are known")


class ClusterMode(Strict):
    """Where the metadata lives: `{mode: KRaft}`."""

    mode: Mode

    def ask(self, broker: BrokerFacts, facts: ClusterFacts) -> Answer:
        """Unknown mode is not readable."""
        if facts.mode is None:
            return Answer(None, "whether the cluster runs KRaft or ZooKeeper was not read")
        return Answer(facts.mode == self.mode, f"the cluster runs {facts.mode}")


class ListenerProtocol(Strict):
    """Any listener of the broker speaks one of these: `{listener_protocol: [SSL, SASL_SSL]}`."""

    listener_protocol: list[Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]] = Field(min_length=1)

    def ask(self, broker: BrokerFacts, facts: ClusterFacts) -> Answer:
        """Reads `listeners` and `listener.security.protocol.map`; a name without mapping is its own protocol."""
        listeners = broker.configs.get("listeners")
        if not listeners:
            return Answer(None, f"the listeners of {broker} were not read")
        pairs = (
            entry.split(":", 1) for entry in (broker.configs.get("listener.security.protocol.map") or "").split(",")
        )
        mapping = {pair[0].strip().upper(): pair[1].strip().upper() for pair in pairs if len(pair) == 2}
        names = [entry.split(":", 1)[0].strip().upper() for entry in listeners.split(",")]
        spoken = sorted({mapping.get(name, name) for name in names})
        known = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}
        if set(spoken) & set(self.listener_protocol):
            return Answer(True, f"{broker} listens with {', '.join(spoken)}")
        return Answer(False if set(spoken) <= known else None, f"{broker} listens with {', '.join(spoken)}")


class MetadataVersion(Strict):
    """The finalized KRaft feature level: `{metadata_version: below, value: 3.7-IV2}`."""

    metadata_version: Literal["below", "at_least"]
    value: str

    @model_validator(mode="after")
    def _readable(self) -> "MetadataVersion":
        if protocol_level(self.value) is None:
            raise ValueError(f"value {self.value!r} is no metadata version such as 3.7-IV2")
        return self

    def ask(self, broker: BrokerFacts, facts: ClusterFacts) -> Answer:
        """Unknown level is not readable."""
        have, bound = protocol_level(facts.metadata_version or ""), protocol_level(self.value)
        if have is None or bound is None:
            return Answer(None, "metadata.version was not read")
        return Answer(
            (have < bound) == (self.metadata_version == "below"), f"metadata.version is {facts.metadata_version}"
        )


class MeasuredCondition(Strict):
    """A named yes/no fact of the day, answered by sql/conditions/NAME: `{measured: replication_factor_1}`."""

    measured: str = Field(pattern=r"^[a-z][a-z0-9_]*$")

    def ask(self, broker: BrokerFacts, facts: ClusterFacts) -> Answer:
        """A fact that nobody measured is not readable."""
        found = facts.measured.get(self.measured)
        words = {None: "was not measured", True: "was measured", False: "was measured and is not so"}
        said = f"{self.measured.replace('_', ' ')} {words[found]}"
        return Answer(found, facts.because.get(self.measured, said))


class ClientConfig(_Compares):
    """A setting of clients that only the owner can tell: `{client_config: client.rack, is: set, of: groups}`."""

    client_config: str
    of: Literal["groups", "producers"]

    def _one(self, value: Scalar) -> bool | None:
        text = str(value).strip().casefold()
        if self.is_ in ("set", "unset"):  # an owner writes `client.rack: unset` or `false` for "we do not set it"
            text = "" if text in ("unset", "false", "none", "null") else text
        return self.compare(text)

    def ask_declared(self, declared: Declared, groups: Iterable[str] | None) -> Answer:
        """Any fleet that is declared to have it: yes. All declared without: no, if no known group is left out."""
        entries = declared.groups if self.of == "groups" else {str(n): p for n, p in enumerate(declared.producers)}
        said = {
            key: self._one(values[self.client_config])
            for key, values in entries.items()
            if self.client_config in values
        }
        if True in said.values():
            return Answer(True, f"the owner declares {self.client_config} so")
        denied = [key for key, answer in said.items() if answer is False]
        undeclared = [key for key in entries if said.get(key) is None]
        if self.of == "groups":  # a pattern may also cover another pattern: "*" speaks for "billing-*"
            names = undeclared if groups is None else groups
            undeclared = [name for name in names if not any(fnmatchcase(name, pattern) for pattern in denied)]
        if denied and not undeclared:
            return Answer(False, f"the owner declares that {self.client_config} is not so")
        return Answer(None, f"{self.client_config} of the clients is not declared")
