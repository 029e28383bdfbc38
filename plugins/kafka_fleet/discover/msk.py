"""Amazon MSK: takes what `aws kafka list-clusters-v2` prints, gives the clusters.

It has no addresses: they are in the answers of `aws kafka get-bootstrap-brokers`, which may follow in the same text,
each behind a document `{"ClusterArn": …}` that says whose it is, or with that key in it.
"""

import re
from typing import NamedTuple

from kafka_fleet.discover.documents import read_documents
from kafka_fleet.discover.fields import Field, root
from kafka_fleet.discover.found import Agents, Found, Listener, Wanted, chosen

JMX_EXPORTER, NODE_EXPORTER = 11001, 11002  # ports of open monitoring
_ANSWER = "BootstrapBrokerString"
# what the key of an answer ends in, and how that is spoken to
_KINDS: dict[str, tuple[str, str | None, bool]] = {
    "SaslScram": ("SASL_SSL", "SCRAM-SHA-512", False),
    "SaslIam": ("SASL_SSL", "AWS_MSK_IAM", False),
    "Tls": ("SSL", None, False),
    "": ("PLAINTEXT", None, False),
}
_KEY = re.compile(r"BootstrapBrokerString(Public|VpcConnectivity|)(SaslScram|SaslIam|Tls|)(Ipv6|)")


class _Answer(NamedTuple):
    """An answer of get-bootstrap-brokers. arn: of its cluster, where that is said."""

    arn: str | None
    field: Field


def read_msk(text: str, name: str, wanted: Wanted) -> tuple[list[Found], list[str]]:
    """The clusters of a text, and what is to be said of it: that it is a page, or that an answer is of no cluster."""
    clusters: dict[str, Field] = {}
    answers: list[_Answer] = []
    said: list[str] = []
    arn: str | None = None
    for document in read_documents(text, name):
        field = root(document)
        if isinstance(field.value, list):  # of aws with --query ClusterInfoList
            field = Field(field.place, "", {"ClusterInfoList": field.value})
        keys = field.mapping()
        listed = field.of("ClusterInfoList").items() if "ClusterInfoList" in keys else []
        listed += [field.of("ClusterInfo")] if "ClusterInfo" in keys else []
        for one in listed:
            clusters[one.of("ClusterArn").needed()] = one
        if any(str(key).startswith(_ANSWER) for key in keys):
            answers.append(_Answer(field.of("ClusterArn").text() or arn, field))
            arn = None
        elif "ClusterArn" in keys:
            arn = field.of("ClusterArn").text()
        elif not listed and "ClusterInfoList" not in keys:
            raise field.fault("has no ClusterInfoList; expected what aws kafka list-clusters-v2 prints, as JSON")
        if field.of("NextToken").text():
            said.append(f"{document.place}: has a NextToken: there are more clusters: list them without --max-items")
    if not clusters:
        raise Field(name, "ClusterInfoList", None).fault("has no clusters; is the region right?")
    servers = _whose(clusters, answers, said)
    return [_cluster(one, servers.get(arn), wanted) for arn, one in clusters.items()], said


def _whose(clusters: dict[str, Field], answers: list[_Answer], said: list[str]) -> dict[str, Field]:
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


def _cluster(field: Field, answer: Field | None, wanted: Wanted) -> Found:
    arn, name = field.of("ClusterArn").needed(), field.of("ClusterName").needed()
    parts = arn.split(":")
    region = parts[3] if len(parts) > 5 else ""
    serverless = field.of("ClusterType").text() == "SERVERLESS" or bool(field.of("Serverless").mapping())
    # the first version of the list, aws kafka list-clusters, has the settings in the cluster itself
    spec = field.of("Serverless") if serverless else field.of("Provisioned") if "Provisioned" in field.value else field
    listeners = [] if answer is None else _answered(answer)
    listeners = listeners or _enabled(spec, serverless)
    notes = [f"MSK {'serverless' if serverless else 'provisioned'}, region {region or 'not known'}"]
    version = spec.of("CurrentBrokerSoftwareInfo", "KafkaVersion").text()
    notes[0] += f", Kafka {version}" if version else ""
    state = field.of("State").text()
    notes += [f"state {state}"] if state and state != "ACTIVE" else []
    if serverless:
        notes.append("serverless clusters take logins by IAM alone, and show no broker: they cannot be measured")
    best = chosen(listeners, wanted)
    agents = _monitoring(spec, best, notes) if not serverless else None
    tags = {str(key): value for key, value in field.of("Tags").mapping().items() if isinstance(value, str)}
    command = f"aws kafka get-bootstrap-brokers{f' --region {region}' if region else ''} --cluster-arn {arn}"
    longer, scope = f"{name}-{region}", ":".join(parts[:5])
    return Found(arn, name, longer, listeners, tags, agents, notes, f"what this prints: {command}", scope=scope)


def _answered(answer: Field) -> list[Listener]:
    found = []
    for key, field in answer.entries():
        matched = _KEY.fullmatch(key)
        text = field.text() if matched else None
        if matched and text:
            where, kind, six = matched.groups()
            security, mechanism, certificate = _KINDS[kind]
            about = {"Public": "public access", "VpcConnectivity": "private connectivity", "": "in the VPC"}[where]
            name = f"{where}{kind or 'Plaintext'}{six}"
            servers = [one.strip() for one in text.split(",") if one.strip()]
            found.append(Listener(name, servers, security, mechanism, certificate, where == "", about, False))
    return found


def _enabled(spec: Field, serverless: bool) -> list[Listener]:
    """The listeners that settings name, without addresses."""
    auth = spec.of("ClientAuthentication")
    found = []
    if auth.of("Sasl", "Scram", "Enabled").flag():
        found.append(Listener("SaslScram", (), *_KINDS["SaslScram"], about="in the VPC", own_ca=False))
    if auth.of("Sasl", "Iam", "Enabled").flag() or serverless:
        found.append(Listener("SaslIam", (), *_KINDS["SaslIam"], about="in the VPC", own_ca=False))
    spoken = spec.of("EncryptionInfo", "EncryptionInTransit", "ClientBroker").text() or "TLS"
    open_to_all = auth.of("Unauthenticated", "Enabled").flag() is True or not auth.mapping()
    mutual = auth.of("Tls", "Enabled").flag() is True
    if not serverless and "TLS" in spoken.split("_") and (open_to_all or mutual):
        found.append(Listener("Tls", (), "SSL", None, mutual and not open_to_all, about="in the VPC", own_ca=False))
    if not serverless and "PLAINTEXT" in spoken and open_to_all:
        found.append(Listener("Plaintext", (), *_KINDS[""], about="in the VPC", own_ca=False))
    return found


def _monitoring(spec: Field, best: Listener | None, notes: list[str]) -> Agents | None:
    prometheus = spec.of("OpenMonitoring", "Prometheus")
    if prometheus.of("NodeExporter", "EnabledInBroker").flag():
        notes.append(f"open monitoring has a node_exporter as well: node_exporter, port {NODE_EXPORTER}")
    if prometheus.of("JmxExporter", "EnabledInBroker").value is None:
        notes.append("open monitoring is not told: whether brokers show metrics is not known")
        return None
    if not prometheus.of("JmxExporter", "EnabledInBroker").flag():
        notes.append("open monitoring with the JMX exporter is off: no metrics (aws kafka update-monitoring)")
        return None
    if best is not None and not best.brokers:
        notes.append(f"open monitoring answers in the VPC alone, at port {JMX_EXPORTER} of the brokers' other names")
        return None
    return Agents("metrics", f"http://{{host}}:{JMX_EXPORTER}/metrics")
