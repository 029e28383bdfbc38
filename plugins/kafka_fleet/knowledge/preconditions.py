"""Preconditions of advisories: takes YAML mappings, gives models that answer for one broker.

`required` ones are read from brokers; `shown_by_symptom` ones live in clients and decide only what an owner declares.
"""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts, Declared
from kafka_fleet.knowledge.predicates import (
    Answer,
    BrokerConfig,
    ClientConfig,
    ClusterMode,
    DistinctRacks,
    ListenerProtocol,
    MeasuredCondition,
    MetadataVersion,
    Strict,
)

_TESTS = (
    "broker_config",
    "distinct_racks",
    "mode",
    "listener_protocol",
    "metadata_version",
    "measured",
    "client_config",
)


def _word(value: Any) -> str | None:
    """Which test a mapping means: the one vocabulary word it uses as a key."""
    words = [word for word in _TESTS if (word in value if isinstance(value, dict) else hasattr(value, word))]
    return words[0] if len(words) == 1 else None


Test = Annotated[
    Annotated[BrokerConfig, Tag("broker_config")]
    | Annotated[DistinctRacks, Tag("distinct_racks")]
    | Annotated[ClusterMode, Tag("mode")]
    | Annotated[ListenerProtocol, Tag("listener_protocol")]
    | Annotated[MetadataVersion, Tag("metadata_version")]
    | Annotated[MeasuredCondition, Tag("measured")]
    | Annotated[ClientConfig, Tag("client_config")],
    Discriminator(
        _word, custom_error_type="unknown_test", custom_error_message="must use one of: " + ", ".join(_TESTS)
    ),
]


class Precondition(Strict):
    """One condition of an advisory. A required one needs a test on brokers; one that shows itself may have none."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    kind: Literal["required", "shown_by_symptom"]
    description: str = Field(min_length=10)
    test: Test | None = None

    @model_validator(mode="after")
    def _fits(self) -> "Precondition":
        if self.kind == "required" and (self.test is None or isinstance(self.test, ClientConfig)):
            raise ValueError("a required precondition needs a test that reads brokers")
        if self.kind == "shown_by_symptom" and not (self.test is None or isinstance(self.test, ClientConfig)):
            raise ValueError("a shown_by_symptom precondition takes a client_config test or none")
        return self

    def ask(self, broker: BrokerFacts, facts: ClusterFacts, declared: Declared) -> Answer | None:
        """The answer for one broker, or None when this condition decides nothing here."""
        if isinstance(self.test, ClientConfig):
            answer = self.test.ask_declared(declared, facts.groups)
            return None if answer.holds is None else answer
        return None if self.test is None else self.test.ask(broker, facts)
