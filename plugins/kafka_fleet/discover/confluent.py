"""Confluent Platform: takes the inventory of its Ansible collection (cp-ansible), gives the clusters.

The defaults are those of the collection: listeners BROKER at 9091 and INTERNAL at 9092, Jolokia at 7771 of brokers and
7770 of controllers, the JMX exporter at 8080 and 8079, controllers numbered from 9991 on.
"""

import re
from collections.abc import Mapping

from kafka_fleet.discover.ansible import Inventory, is_template
from kafka_fleet.discover.confluent_listeners import host_of, listeners_of
from kafka_fleet.discover.documents import read_documents
from kafka_fleet.discover.fields import Field, root
from kafka_fleet.discover.found import Agents, Found, Wanted, chosen
from kafka_fleet.discover.manifests import STRIMZI, kinds_of, resources_of

_EXPECTED = "an inventory in YAML, or what ansible-inventory --list prints"
_INI = re.compile(r"^\[[\w.-]+(?::\w+)?\][ \t]*(?:[#;].*)?$", re.MULTILINE)  # the head of a group
_BROKERS = re.compile(r"kafka_broker(?P<which>[-_]?[0-9A-Za-z_-]*)")
_FIRST_CONTROLLER = 9991
_PORTS = {"jolokia": (7771, 7770), "jmxexporter": (8080, 8079)}  # of brokers, of controllers
_VARIABLES = ("ssl_enabled", "sasl_protocol", "jolokia_enabled", "jmxexporter_enabled", "hostname_aliasing_enabled")


def read_confluent(text: str, name: str, wanted: Wanted) -> tuple[list[Found], list[str]]:
    """The clusters of an inventory, and nothing to be said. Raises UsageError where it has no broker."""
    if _INI.search(text):
        run = "ansible-inventory -i INVENTORY --list | kafka-fleet discover confluent"
        raise Field(name, "", None).fault(f"is an Ansible inventory in INI, which is not read; run {run}")
    fields = [root(document) for document in read_documents(text, name, _EXPECTED)]
    if resources := resources_of(fields):
        kinds = kinds_of(resources)
        kinds += " (kafka-fleet discover strimzi)" if STRIMZI in kinds else ""
        raise Field(name, "", None).fault(f"is a manifest of Kubernetes, not {_EXPECTED}; its kinds are: {kinds}")
    inventory = Inventory(fields)
    groups = [group for group in inventory.children if _BROKERS.fullmatch(group)]
    if not groups:
        hosted = [one for one in inventory.children if inventory.hosts[one]]
        known = f"its groups are: {', '.join(sorted(hosted))[:200]}" if hosted else "it has no groups with hosts"
        if any(field.of("all", "vars", "ccloud_kafka_enabled").flag() for field in fields):
            known = "its brokers are in Confluent Cloud (ccloud_kafka_enabled), which shows none of its metrics"
        raise Field(name, "", None).fault(f"has no group kafka_broker; {known}")
    inside = {child for group in groups for child in inventory.below(group)[1:]}
    clusters: dict[str, list[str]] = {}
    for group in groups:
        if group in inside:
            continue
        hosts = inventory.members(group)
        if not hosts:
            raise Field(name, "", None).fault(f"group {group} has no hosts")
        for host in hosts:
            clusters.setdefault(_cluster_name(inventory, host) or group, []).append(host)
    return [_cluster(inventory, one, hosts, wanted) for one, hosts in clusters.items()], []


def _cluster_name(inventory: Inventory, host: str) -> str | None:
    field = inventory.variables(host).get("kafka_broker_cluster_name")
    return None if field is None or is_template(field.value) else field.text()


def _controllers(inventory: Inventory, brokers: list[str], name: str) -> list[str]:
    """Controllers of the same cluster: by its name where they have one, else of the group named as the brokers'."""
    own = {group for host in brokers for group in inventory.groups_of(host) if _BROKERS.fullmatch(group)}
    beside = {f"kafka_controller{group.removeprefix('kafka_broker')}" for group in own}
    found = []
    for host in dict.fromkeys(one for group in inventory.children for one in inventory.members(group)):
        groups = [group for group in inventory.groups_of(host) if group.startswith("kafka_controller")]
        called = _cluster_name(inventory, host) if groups else None
        if groups and (called == name or (called is None and beside & set(groups))):
            found.append(host)
    return found


def _cluster(inventory: Inventory, name: str, hosts: list[str], wanted: Wanted) -> Found:
    variables = {host: inventory.variables(host) for host in hosts}
    first = variables[hosts[0]]
    listeners = listeners_of(variables)
    best = chosen(listeners, wanted)
    notes = [f"{len(hosts)} broker{'' if len(hosts) == 1 else 's'} of the inventory"]
    for key in _VARIABLES:
        if key in first and is_template(first[key].value):
            notes.append(f"{key} is a template, which is not filled in here (ansible-inventory --list does not either)")
        elif key in first and first[key].vaulted:
            notes.append(f"{key} is in a vault")
    version = first.get("confluent_package_version")
    if version is not None and not is_template(version.value) and re.fullmatch(r"[\w.-]{1,40}", version.text() or ""):
        notes.append(f"Confluent Platform {version.text()}")
    agents = _agents(inventory, variables, _controllers(inventory, hosts, name), notes)
    generic = bool(_BROKERS.fullmatch(name))
    called = _BROKERS.sub(r"confluent\g<which>", name) if generic else name
    labels = {key: one.text() or "" for key, one in first.items() if _is_label(key, one)}
    return Found(
        origin=name,
        name=called,
        longer=f"{called}-{hosts[0]}",
        listeners=listeners,
        labels=labels,
        agents=agents,
        notes=notes,
        servers_from="host:port of each broker",
        login_notes=["login: a user of your own, with the ACLs or role bindings of docs/agent.md"]
        if best is not None and (best.mechanism or best.certificate)
        else [],
    )


def _is_label(key: str, field: Field) -> bool:
    plain = isinstance(field.value, str) and not is_template(field.value)
    return plain and key.lower() in ("environment", "env", "stage", "owner", "owners", "team", "contact", "owner_email")


def _agents(
    inventory: Inventory, variables: Mapping[str, Mapping[str, Field]], controllers: list[str], notes: list[str]
) -> Agents | None:
    first = next(iter(variables.values()))
    kind = next((one for one in _PORTS if flag(first, f"kafka_broker_{one}_enabled", f"{one}_enabled")), None)
    if kind is None:
        notes.append("neither jolokia_enabled nor jmxexporter_enabled: brokers show no metrics (docs/agent.md)")
        return None
    path, urls = ("/jolokia" if kind == "jolokia" else "/metrics"), dict[int, str]()
    own = {} if controllers == [] else {host: inventory.variables(host) for host in controllers}
    for number, (host, told) in enumerate(own.items()):
        if flag(told, f"kafka_controller_{kind}_enabled", f"{kind}_enabled"):
            node = told["node_id"].whole() if "node_id" in told else None
            url = f"{_scheme(told, kind, 'kafka_controller')}://{host_of(host, told)}:{_port(told, kind, 1)}{path}"
            urls[_FIRST_CONTROLLER + number if node is None else node] = url
    mode = first.get("kafka_broker_jolokia_auth_mode") or first.get("jolokia_auth_mode")
    login = kind == "jolokia" and mode is not None and mode.text() == "basic"
    template = f"{_scheme(first, kind, 'kafka_broker')}://{{host}}:{_port(first, kind, 0)}{path}"
    return Agents("jolokia" if kind == "jolokia" else "metrics", template, {}, urls, login)


def flag(variables: Mapping[str, Field], *names: str) -> bool:
    """The first of these variables that says yes or no; no without any."""
    said = (variables[name].flag() for name in names if name in variables)
    return next((one for one in said if one is not None), False)


def _scheme(variables: Mapping[str, Field], kind: str, node: str) -> str:
    own = f"{node}_jolokia_ssl_enabled"
    return "https" if kind == "jolokia" and flag(variables, own, f"{node}_ssl_enabled", "ssl_enabled") else "http"


def _port(variables: Mapping[str, Field], kind: str, which: int) -> int:
    name = f"{('kafka_broker', 'kafka_controller')[which]}_{kind}_port"
    told = variables[name].whole() if name in variables else None
    return _PORTS[kind][which] if told is None else told
