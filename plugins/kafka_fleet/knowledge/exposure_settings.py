"""What an exposure rests on besides releases: takes an advisory and facts, gives the settings read that decide it.

Kept with an acknowledgement: another value than those that were there is another case. Brokers are not named, since
which of them holds a role changes, and neither are counts, which change without any setting.
"""

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.facts import ClusterFacts
from kafka_fleet.knowledge.predicates import BrokerConfig, ClusterMode, ListenerProtocol, MetadataVersion

LONGEST = 200  # characters of a value


def _settings(facts: ClusterFacts, name: str) -> set[str]:
    values = {broker.configs.get(name) for broker in facts.brokers}
    unseen = {f"{name} is set" for broker in facts.brokers if name in broker.unseen}
    return unseen | {f"{name} is {value[:LONGEST] or 'unset'}" for value in values if value is not None}


def exposure_settings(advisory: Advisory, facts: ClusterFacts) -> list[str]:
    """One sentence per setting and value; none where releases alone decide."""
    found: set[str] = set()
    for condition in advisory.preconditions:
        match condition.test:
            case BrokerConfig(broker_config=name):
                found |= _settings(facts, name)
            case ListenerProtocol():
                found |= _settings(facts, "listeners") | _settings(facts, "listener.security.protocol.map")
            case ClusterMode() if facts.mode is not None:
                found.add(f"the cluster runs {facts.mode}")
            case MetadataVersion() if facts.metadata_version is not None:
                found.add(f"metadata.version is {facts.metadata_version}")
            case _:
                pass  # racks, clients and measured conditions: their scope is in the finding's subjects
    return sorted(found)
