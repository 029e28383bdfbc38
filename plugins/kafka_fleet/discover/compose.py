"""Docker Compose: takes a file, or what `docker compose config` prints, gives the clusters of its Kafka nodes.

Images of Apache Kafka, Confluent, Bitnami and Strimzi, and other services with settings of a Kafka node. Nodes are of
one cluster when they have the same quorum, or the same ZooKeeper, else the same cluster id.
"""

import re
from pathlib import Path

from kafka_fleet.discover.compose_agents import agents_of
from kafka_fleet.discover.compose_services import Node, node_of
from kafka_fleet.discover.documents import read_documents
from kafka_fleet.discover.fields import root
from kafka_fleet.discover.found import Found, Listener, Wanted, chosen, mechanism_of

_EXPECTED = "a Compose file, or what docker compose config prints"
_LISTENER = re.compile(r"([A-Za-z][\w.-]*)://(.*):([^:]+)")
_SELF = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0")  # noqa: S104 - read, never bound
_DEFAULT = "PLAINTEXT://localhost:9092"  # what an image of Apache Kafka advertises without settings


def read_compose(text: str, name: str, wanted: Wanted) -> tuple[list[Found], list[str]]:
    """The clusters of a Compose file, and nothing to be said. Raises UsageError where it has no Kafka node."""
    nodes: list[Node] = []
    project: str | None = None
    for document in read_documents(text, name, _EXPECTED):
        field = root(document)
        if "services" not in field.mapping():
            raise field.fault(f"has no services; expected {_EXPECTED}")
        project = project or field.of("name").text()
        nodes += [node for key, one in field.of("services").entries() if (node := node_of(key, one)) is not None]
    if not any("broker" in node.roles for node in nodes):
        raise root(document).of("services").fault("has no Kafka broker (by image, or by KAFKA_ADVERTISED_LISTENERS)")
    project = project or (Path(name).absolute().parent.name if Path(name).suffix else "")
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(_key(node), []).append(node)
    clusters = [group for group in groups.values() if any("broker" in node.roles for node in group)]
    return [_cluster(group, project, len(clusters) == 1, wanted) for group in clusters], []


def _key(node: Node) -> str:
    for name in ("CONTROLLER_QUORUM_VOTERS", "CONTROLLER_QUORUM_BOOTSTRAP_SERVERS", "ZOOKEEPER_CONNECT"):
        members = sorted(one.strip() for one in node.settings.get(name, "").split(",") if one.strip())
        if members:
            host = members[0].partition("@")[2].rpartition(":")[0] or members[0].rpartition(":")[0]
            own = len(members) == 1 and host in _SELF and node.field.of("network_mode").text() != "host"
            return f"service {node.service}" if own else f"{name} {','.join(members)}"
    return f"id {node.cluster_id}" if node.cluster_id else f"service {node.service}"


def _cluster(nodes: list[Node], project: str, alone: bool, wanted: Wanted) -> Found:
    brokers = [node for node in nodes if "broker" in node.roles]
    service = re.sub(r"[-_.]?[0-9]+$", "", brokers[0].service) or brokers[0].service
    listeners = [one._replace(brokers=_outside(one, brokers)) for one in _listeners(brokers)]
    best = chosen(listeners, wanted)
    notes = sorted({node.version for node in brokers if node.version})
    unset = sorted({name for node in brokers for name in node.unset})
    if unset:
        notes.append(f"not set in this file: {', '.join(unset)[:200]} (docker compose config fills them in)")
    elsewhere = sorted({key for node in brokers for key in node.elsewhere})
    if elsewhere:
        notes.append(f"{' and '.join(elsewhere)}: another file, which is not read (docker compose config puts it in)")
    if any(not {"ADVERTISED_LISTENERS", "ADVERTISED_HOST_NAME"} & set(node.settings) for node in brokers):
        notes.append(
            "no KAFKA_ADVERTISED_LISTENERS: the address is where it listens, or what the image advertises by default"
        )
    agents = None if best is None else agents_of(nodes, best, notes)
    labels = {key: value for node in brokers for key, value in node.labels.items()}
    services = ", ".join(node.service for node in nodes)
    return Found(
        origin=f"{project or 'compose'}/{brokers[0].service}",
        name=(project or service) if alone else service,
        longer=f"{project or 'compose'}-{brokers[0].service}",
        listeners=listeners,
        labels=labels,
        agents=agents,
        notes=[*notes, f"services {services}"],
        servers_from="host:port that a broker advertises (KAFKA_ADVERTISED_LISTENERS)",
        scope=f"{project or 'compose'}/",
    )


def _listeners(brokers: list[Node]) -> list[Listener]:
    """Listeners by name, with the address that each broker advertises; those of controllers are left out."""
    servers: dict[str, list[str]] = {}
    how: dict[str, tuple[str | None, str | None]] = {}
    for node in brokers:
        advertised = node.settings.get("ADVERTISED_LISTENERS") or _older(node) or node.settings.get("LISTENERS")
        advertised = advertised or _DEFAULT
        controllers = {one.strip() for one in node.settings.get("CONTROLLER_LISTENER_NAMES", "").split(",")}
        protocols = dict(
            (part.strip().split(":", 1) if ":" in part else (part, ""))  # type: ignore[misc]
            for part in node.settings.get("LISTENER_SECURITY_PROTOCOL_MAP", "").split(",")
        )
        for one in advertised.split(","):
            matched = _LISTENER.fullmatch(one.strip())
            if matched is None or matched[1] in controllers or matched[1] == "CONTROLLER":
                continue
            host = matched[2] if matched[2] not in ("", "0.0.0.0") else node.service  # noqa: S104 - read, never bound
            address = f"{host}:{matched[3]}"
            servers.setdefault(matched[1], [])
            if "${" not in address:
                servers[matched[1]].append(address)
            security = protocols.get(matched[1], matched[1]).upper()
            own = node.settings.get(f"LISTENER_NAME_{matched[1].upper()}_SASL_ENABLED_MECHANISMS")
            taken = own or node.settings.get("SASL_ENABLED_MECHANISMS") or "GSSAPI"  # Kafka's default
            mechanism = mechanism_of(taken.split(",")) if security.startswith("SASL") else None
            known = security in ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
            how[matched[1]] = (security if known else None, mechanism)
    certificate = any(node.settings.get("SSL_CLIENT_AUTH", "") == "required" for node in brokers)
    return [
        Listener(name, addresses, security, mechanism, certificate and security == "SSL")
        for name, addresses in servers.items()
        for security, mechanism in [how[name]]
    ]


def _older(node: Node) -> str | None:
    """What nodes advertised before Kafka 3.0 by a host name and a port."""
    host = node.settings.get("ADVERTISED_HOST_NAME")
    return f"PLAINTEXT://{host}:{node.settings.get('ADVERTISED_PORT', '9092')}" if host else None


def _outside(listener: Listener, brokers: list[Node]) -> bool:
    """Whether it is for clients outside of Compose's network: it advertises a port that is published."""
    published = {port for node in brokers for port in node.published.values()}
    return any(int(port) in published for port in _ports(listener))


def _ports(listener: Listener) -> list[str]:
    found = [server.rpartition(":")[2] for server in listener.servers]
    return [port for port in found if re.fullmatch(r"[0-9]{1,5}", port)]
