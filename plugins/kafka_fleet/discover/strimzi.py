"""Strimzi: takes what `kubectl get kafka,kafkanodepool -A -o yaml` prints, or manifests, gives the clusters.

Custom resources of the API versions v1beta2 and v1. Addresses are those of the status; of a manifest that was not
applied yet, those that the operator gives to listeners of the types internal and cluster-ip.
"""

from collections.abc import Iterator

from kafka_fleet.discover.documents import read_documents
from kafka_fleet.discover.fields import Field, root
from kafka_fleet.discover.found import Found, Listener, Wanted, chosen, mechanism_of
from kafka_fleet.discover.manifests import STRIMZI, kinds_of
from kafka_fleet.discover.strimzi_metrics import Pool, metrics_of, pool_of

_EXPECTED = "what kubectl get kafka,kafkanodepool -A -o yaml prints"
_MECHANISMS = {"scram-sha-512": "SCRAM-SHA-512", "oauth": "OAUTHBEARER", "custom": None, "tls": None}


def _resources(field: Field) -> Iterator[Field]:
    """The resources of a document, or of the list that kubectl makes of several."""
    kind = field.of("kind").text()
    if kind == "List" or (kind or "").endswith("List"):
        for item in field.of("items").items():
            yield from _resources(item)
    elif kind is not None:
        name, space = field.of("metadata", "name").text(), field.of("metadata", "namespace").text()
        called = "/".join(part for part in (space, name) if part)
        yield Field(f"{field.place}: {kind} {called}" if called else field.place, "", field.value)
    else:
        raise field.fault(f"has no kind; expected {_EXPECTED}")


def read_strimzi(text: str, name: str, wanted: Wanted) -> tuple[list[Found], list[str]]:
    """The Kafka resources of a text, and nothing to be said. Raises UsageError for what is no resource."""
    documents = read_documents(text, name, _EXPECTED)
    resources = [one for document in documents for one in _resources(root(document))]
    ours = [one for one in resources if (one.of("apiVersion").text() or "").startswith(STRIMZI)]
    pools: dict[tuple[str, str], list[Pool]] = {}
    for one in ours:
        if one.of("kind").text() == "KafkaNodePool":
            cluster = one.of("metadata", "labels").mapping().get("strimzi.io/cluster")
            pools.setdefault((_namespace(one), str(cluster)), []).append(pool_of(one))
    kafkas = [one for one in ours if one.of("kind").text() == "Kafka"]
    if not kafkas:
        has = f"its kinds are: {kinds_of(resources)}" if resources else "its list is empty"
        raise Field(name, "", None).fault(f"has no resource of the kind Kafka ({STRIMZI}v1 or v1beta2); {has}")
    return [_cluster(one, pools, wanted) for one in kafkas], []


def _namespace(field: Field) -> str:
    return field.of("metadata", "namespace").text() or ""


def _cluster(field: Field, pools: dict[tuple[str, str], list[Pool]], wanted: Wanted) -> Found:
    name, space = field.of("metadata", "name").needed(), _namespace(field)
    spec = field.of("spec", "kafka")
    if not spec.mapping():
        raise spec.fault("is missing")
    told = {one.of("name").text() or one.of("type").text(): one for one in field.of("status", "listeners").items()}
    listeners = [_listener(one, name, space, told) for one in spec.of("listeners").items()]
    if not listeners:
        raise spec.of("listeners").fault("has no listeners")
    notes = []
    version = field.of("status", "kafkaVersion").text() or spec.of("version").text()
    notes += [f"Kafka {version}"] if version else []
    notes += [] if space else ["no namespace in the manifest: addresses are of the namespace that Airflow runs in"]
    best = chosen(listeners, wanted)
    agents, said = metrics_of(spec, name, space, pools.get((space, name), []), best is not None and best.brokers)
    labels = {**field.of("metadata", "labels").mapping(), **field.of("metadata", "annotations").mapping()}
    return Found(
        origin=f"{space}/{name}" if space else name,
        name=name,
        longer=f"{space}-{name}",
        listeners=listeners,
        labels={str(key): value for key, value in labels.items() if isinstance(value, str)},
        agents=agents,
        notes=[*notes, *said],
        servers_from=f"kubectl get kafka {name}{f' -n {space}' if space else ''} -o yaml, status.listeners",
        login_notes=_logins(best, name, space),
    )


def _listener(field: Field, name: str, space: str, told: dict[str | None, Field]) -> Listener:
    called, kind = field.of("name").needed(), field.of("type").text() or "internal"
    near = kind in ("internal", "cluster-ip")
    status = told.get(called)
    servers = [] if status is None else (status.of("bootstrapServers").text() or "").split(",")
    servers = [one.strip() for one in servers if one.strip()]
    if not servers and near:
        service = "-kafka-bootstrap" if kind == "internal" else f"-kafka-{called}-bootstrap"
        servers = [f"{name}{service}{f'.{space}.svc' if space else ''}:{field.of('port').needed()}"]
    auth = field.of("authentication")
    kind_of_login, tls = auth.of("type").text(), field.of("tls").flag() is True
    mechanism = _MECHANISMS.get(kind_of_login or "")
    custom = kind_of_login == "custom" and auth.of("sasl").flag() is True
    if custom:
        enabled = auth.of("listenerConfig").mapping().get("sasl.enabled.mechanisms")
        mechanism = mechanism_of(enabled.split(",")) if isinstance(enabled, str) else "SASL"
    sasl = mechanism is not None
    security = f"{'SASL_' if sasl else ''}{('SSL' if tls else 'PLAINTEXT')}"
    moved = any(one.of("advertisedHost").text() for one in field.of("configuration", "brokers").items())
    own = kind == "internal" and not moved
    return Listener(called, servers, security, mechanism, kind_of_login == "tls", own, f"type {kind}")


def _logins(best: Listener | None, name: str, space: str) -> list[str]:
    if best is None or best.security is None or not best.security.endswith("SSL"):
        return []
    where = f" -n {space}" if space else ""
    secret = f"kubectl get secret {name}-cluster-ca-cert{where} -o jsonpath='{{.data.ca\\.crt}}' | base64 -d"
    told = [f"ssl.ca.location: a file with what this prints: {secret}"]
    if best.mechanism == "SCRAM-SHA-512" or best.certificate:
        told.append("login: a KafkaUser of your own, with the ACLs of docs/agent.md")
    return told
