"""The sources by name: what each reads, and the command whose output that is."""

from collections.abc import Callable
from typing import NamedTuple

from kafka_fleet.discover.compose import read_compose
from kafka_fleet.discover.confluent import read_confluent
from kafka_fleet.discover.found import Found, Wanted
from kafka_fleet.discover.hosts import read_hosts
from kafka_fleet.discover.msk import read_msk
from kafka_fleet.discover.strimzi import read_strimzi


class Source(NamedTuple):
    """read: takes a text, its name and what is wanted; gives clusters, and sentences on what the text lacks."""

    read: Callable[[str, str, Wanted], tuple[list[Found], list[str]]]
    about: str
    usage: str


SOURCES = {
    "strimzi": Source(
        read_strimzi,
        "Kafka resources of Strimzi: what kubectl prints, or manifests",
        "kubectl get kafka,kafkanodepool -A -o yaml | kafka-fleet discover strimzi",
    ),
    "msk": Source(
        read_msk,
        "clusters of Amazon MSK: what aws kafka list-clusters-v2 prints, and get-bootstrap-brokers behind it",
        "aws kafka list-clusters-v2 | kafka-fleet discover msk",
    ),
    "confluent": Source(
        read_confluent,
        "brokers of an Ansible inventory of Confluent Platform (cp-ansible)",
        "kafka-fleet discover confluent hosts.yml",
    ),
    "compose": Source(
        read_compose,
        "Kafka services of a Compose file",
        "docker compose config | kafka-fleet discover compose",
    ),
    "hosts": Source(
        read_hosts,
        "a list with a line per cluster: name host:port,host:port",
        "kafka-fleet discover hosts clusters.txt",
    ),
}
