"""Preconditions in words: takes one of an advisory's, gives what is asked and where the answer is read from."""

from docs_generator.markdown import code, escape
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.preconditions import Precondition
from kafka_fleet.knowledge.predicates import (
    BrokerConfig,
    ClientConfig,
    ClusterMode,
    DistinctRacks,
    ListenerProtocol,
    MeasuredCondition,
    MetadataVersion,
)

_WORDS = {
    "set": "is set",
    "unset": "is not set",
    "equals": "is",
    "not_equals": "is not",
    "includes": "has an entry like",
    "at_most": "is at most",
    "at_least": "is at least",
    "version_below": "is below",
    "version_at_least": "is at least",
}


def _compared(name: str, test: BrokerConfig | ClientConfig) -> str:
    value = test.value if not isinstance(test.value, bool) else str(test.value).lower()
    return f"{code(name)} {_WORDS[test.is_]}" + ("" if value is None else f" {code(str(value))}")


def _measured(name: str) -> str:
    condition = load_conditions()[name]
    sources = dict.fromkeys(line.mbean for line in condition.evidence.values())
    where = ", ".join(code(one) for one in sources)
    return f"{escape(condition.question)} [`{name}`](../conditions.md), from {where}"


def read_from(one: Precondition) -> str:
    """Where the answer comes from, in the words of the request or of the fleet file."""
    match one.test:
        case BrokerConfig():
            return f"DescribeConfigs of each broker: {_compared(one.test.broker_config, one.test)}"
        case DistinctRacks():
            return f"Metadata: the brokers name at least {one.test.distinct_racks} different racks"
        case ClusterMode():
            return (
                "DescribeConfigs of the brokers (`process.roles`, `zookeeper.connect`) and the finalized features: "
                f"the cluster runs {one.test.mode}"
            )
        case ListenerProtocol():
            spoken = " or ".join(code(name) for name in one.test.listener_protocol)
            return f"DescribeConfigs of each broker: `listeners` with `listener.security.protocol.map` name {spoken}"
        case MetadataVersion():
            way = "below" if one.test.metadata_version == "below" else "at least"
            return f"ApiVersions, finalized features: `metadata.version` is {way} {code(one.test.value)}"
        case MeasuredCondition():
            return _measured(one.test.measured)
        case ClientConfig():
            return (
                f"the owner's `client_configs.{one.test.of}` in the fleet file: "
                f"{_compared(one.test.client_config, one.test)}. Not declared: it decides nothing"
            )
    return "nothing reads it; the symptom itself shows it"


def precondition(one: Precondition) -> list[str]:
    """Cells of its row: what must be so, whether it is required, where it is read."""
    kind = "yes" if one.kind == "required" else "no: it shows itself in the symptom" if one.test is None else "no"
    return [escape(one.description), kind, read_from(one)]
