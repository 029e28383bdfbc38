"""Amazon MSK: takes what `aws kafka list-clusters-v2` prints, gives the clusters.

It has no addresses: they are in the answers of `aws kafka get-bootstrap-brokers`, which may follow in the same text,
each behind a document `{"ClusterArn": …}` that says whose it is, or with that key in it.
"""

from kafka_fleet.discover.documents import read_documents
from kafka_fleet.discover.fields import Field, root
from kafka_fleet.discover.found import Agents, Found, Listener, Wanted, chosen
from kafka_fleet.discover.msk_brokers import ANSWER, KINDS, Answer, answered, whose

_EXPECTED = "what aws kafka list-clusters-v2 --output json prints"
JMX_EXPORTER, NODE_EXPORTER = 11001, 11002  # ports of open monitoring


def read_msk(text: str, name: str, wanted: Wanted) -> tuple[list[Found], list[str]]:
    """The clusters of a text, and what is to be said of it: that it is a page, or that an answer is of no cluster."""
    clusters: dict[str, Field] = {}
    answers: list[Answer] = []
    said: list[str] = []
    arn: str | None = None
    for document in read_documents(text, name, _EXPECTED):
        field = root(document)
        if isinstance(field.value, list):  # of aws with --query ClusterInfoList
            field = Field(field.place, "", {"ClusterInfoList": field.value})
        keys = field.mapping()
        listed = field.of("ClusterInfoList").items() if "ClusterInfoList" in keys else []
        listed += [field.of("ClusterInfo")] if "ClusterInfo" in keys else []
        for one in listed:
            clusters[one.of("ClusterArn").needed()] = one
        if any(str(key).startswith(ANSWER) for key in keys):
            answers.append(Answer(field.of("ClusterArn").text() or arn, field))
            arn = None
        elif "ClusterArn" in keys:
            arn = field.of("ClusterArn").text()
        elif not listed and "ClusterInfoList" not in keys:
            raise field.fault(f"has no ClusterInfoList; expected {_EXPECTED}")
        if field.of("NextToken").text():
            said.append(f"{document.place}: has a NextToken: there are more clusters: list them without --max-items")
    if not clusters:
        raise Field(name, "ClusterInfoList", None).fault("has no clusters; is the region right?")
    servers = whose(clusters, answers, said)
    return [_cluster(one, servers.get(arn), wanted) for arn, one in clusters.items()], said


def _cluster(field: Field, answer: Field | None, wanted: Wanted) -> Found:
    arn, name = field.of("ClusterArn").needed(), field.of("ClusterName").needed()
    parts = arn.split(":")
    region = parts[3] if len(parts) > 5 else ""
    serverless = field.of("ClusterType").text() == "SERVERLESS" or bool(field.of("Serverless").mapping())
    # the first version of the list, aws kafka list-clusters, has the settings in the cluster itself
    spec = field.of("Serverless") if serverless else field.of("Provisioned") if "Provisioned" in field.value else field
    listeners = [] if answer is None else answered(answer)
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


def _enabled(spec: Field, serverless: bool) -> list[Listener]:
    """The listeners that settings name, without addresses."""
    auth = spec.of("ClientAuthentication")
    found = []
    if auth.of("Sasl", "Scram", "Enabled").flag():
        found.append(Listener("SaslScram", (), *KINDS["SaslScram"], about="in the VPC", own_ca=False))
    if auth.of("Sasl", "Iam", "Enabled").flag() or serverless:
        found.append(Listener("SaslIam", (), *KINDS["SaslIam"], about="in the VPC", own_ca=False))
    spoken = spec.of("EncryptionInfo", "EncryptionInTransit", "ClientBroker").text() or "TLS"
    open_to_all = auth.of("Unauthenticated", "Enabled").flag() is True or not auth.mapping()
    mutual = auth.of("Tls", "Enabled").flag() is True
    if not serverless and "TLS" in spoken.split("_") and (open_to_all or mutual):
        found.append(Listener("Tls", (), "SSL", None, mutual and not open_to_all, about="in the VPC", own_ca=False))
    if not serverless and "PLAINTEXT" in spoken and open_to_all:
        found.append(Listener("Plaintext", (), *KINDS[""], about="in the VPC", own_ca=False))
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
