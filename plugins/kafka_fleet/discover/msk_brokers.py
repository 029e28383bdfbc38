"""Addresses of MSK: takes answers of `aws kafka get-bootstrap-brokers`, gives whose they are, and their listeners."""

import re
from typing import NamedTuple

from kafka_fleet.discover.fields import Field
from kafka_fleet.discover.found import Listener

ANSWER = "BootstrapBrokerString"
# what the key of an answer ends in, and how that is spoken to
KINDS: dict[str, tuple[str, str | None, bool]] = {
    "SaslScram": ("SASL_SSL", "SCRAM-SHA-512", False),
    "SaslIam": ("SASL_SSL", "AWS_MSK_IAM", False),
    "Tls": ("SSL", None, False),
    "": ("PLAINTEXT", None, False),
}
_KEY = re.compile(r"BootstrapBrokerString(Public|VpcConnectivity|)(SaslScram|SaslIam|Tls|)(Ipv6|)")


class Answer(NamedTuple):
    """An answer of get-bootstrap-brokers. arn: of its cluster, where that is said."""

    arn: str | None
    field: Field


def whose(clusters: dict[str, Field], answers: list[Answer], said: list[str]) -> dict[str, Field]:
    """The answer of each cluster: by its ARN, by the name in its hosts, or since there is one of each."""
    found: dict[str, Field] = {}
    for arn, answer in answers:
        named = [one for one, field in clusters.items() if arn == one or (arn is None and _in_hosts(field, answer))]
        if arn is None and not named and len(clusters) == len(answers) == 1:
            named = list(clusters)
        if len(named) == 1:
            found[named[0]] = answer
        else:
            said.append(f'{answer.place}: is of no listed cluster; put a document {{"ClusterArn": "…"}} before it')
    return found


def _in_hosts(cluster: Field, answer: Field) -> bool:
    """Whether hosts such as b-1.NAME.abcdef.c2.kafka.eu-west-1.amazonaws.com have the name and region of a cluster."""
    name, region = cluster.of("ClusterName").needed().lower(), cluster.of("ClusterArn").needed().split(":")[3:4]
    texts = [value for key, value in answer.mapping().items() if _KEY.fullmatch(str(key)) and isinstance(value, str)]
    hosts = [server.rpartition(":")[0].split(".") for text in texts for server in text.split(",")]
    return any(len(host) > 5 and host[1] == name and set(region) <= set(host) for host in hosts)


def answered(answer: Field) -> list[Listener]:
    """The listeners of an answer, with their addresses."""
    found = []
    for key, field in answer.entries():
        matched = _KEY.fullmatch(key)
        text = field.text() if matched else None
        if matched and text:
            where, kind, six = matched.groups()
            security, mechanism, certificate = KINDS[kind]
            about = {"Public": "public access", "VpcConnectivity": "private connectivity", "": "in the VPC"}[where]
            name = f"{where}{kind or 'Plaintext'}{six}"
            servers = [one.strip() for one in text.split(",") if one.strip()]
            found.append(Listener(name, servers, security, mechanism, certificate, where == "", about, False))
    return found
