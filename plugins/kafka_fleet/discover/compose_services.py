"""Kafka nodes of a Compose file: takes a service, gives what it is set to, or None where it is no Kafka node."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from kafka_fleet.discover.fields import Field
from kafka_fleet.discover.interpolation import interpolated

_IMAGES = ("kafka", "kafka-native", "cp-kafka", "cp-server", "confluent-local")  # the last part of their names
_NODE = ("ADVERTISED_LISTENERS", "LISTENERS", "PROCESS_ROLES", "NODE_ID", "BROKER_ID", "ZOOKEEPER_CONNECT")
_PREFIXES = ("KAFKA_CFG_", "KAFKA_")
_CLUSTER_ID = ("CLUSTER_ID", "KAFKA_CLUSTER_ID", "KAFKA_KRAFT_CLUSTER_ID")
_JVM = ("KAFKA_OPTS", "KAFKA_JMX_OPTS", "EXTRA_ARGS", "JAVA_TOOL_OPTIONS", "KAFKA_HEAP_OPTS")
_OVERRIDE = re.compile(r"--override[ =]([a-z.]{1,60})=([^\s\"']{1,500})")


class Node(NamedTuple):
    """One service. settings: upper case without prefix; published: port in the container to port outside.

    unset: variables without a value here; elsewhere: keys that take settings from another file.
    """

    service: str
    field: Field
    settings: Mapping[str, str]
    cluster_id: str | None
    published: Mapping[int, int]
    jvm: list[str]
    version: str | None
    unset: list[str]
    labels: Mapping[str, str]
    elsewhere: list[str]

    @property
    def roles(self) -> set[str]:
        """`broker`, `controller`, or both; a node of ZooKeeper times is a broker."""
        said = self.settings.get("PROCESS_ROLES", "broker")
        return {one.strip() for one in said.split(",")}

    @property
    def number(self) -> int | None:
        """Its node.id or broker.id."""
        said = self.settings.get("NODE_ID") or self.settings.get("BROKER_ID") or ""
        return int(said) if re.fullmatch(r"[0-9]{1,9}", said) else None


def environment(field: Field) -> dict[str, str]:
    """A service's or its labels' variables, in either form: a mapping, or a list of NAME=value."""
    if isinstance(field.value, list):
        pairs = [(one.text() or "").partition("=") for one in field.items()]
        return {name.strip(): value for name, _equals, value in pairs}
    return {key: one.text() or "" for key, one in field.entries()}


def node_of(service: str, field: Field) -> Node | None:
    """What a service is set to, with variables of the file filled in."""
    given, unset = {}, list[str]()
    for name, raw in environment(field.of("environment")).items():
        given[name], missing = interpolated(raw)
        unset += missing
    settings: dict[str, str] = {}
    for prefix in _PREFIXES:  # KAFKA_CFG_ says it more precisely
        for name, value in given.items():
            if name.startswith(prefix):
                settings.setdefault(name.removeprefix(prefix), value)
    words = field.of("command").value
    commands = [str(one) for one in words] if isinstance(words, list) else [str(words or "")]
    if "kafka-server-start" in " ".join(commands):
        for name, value in _OVERRIDE.findall(" ".join(commands)):
            settings.setdefault(name.upper().replace(".", "_"), interpolated(value)[0])
    image = interpolated(field.of("image").text() or "")[0]
    named = re.sub(r"@.*$", "", image)
    last, _, tag = named.rpartition("/")[2].partition(":")
    of_kafka = any(name in settings for name in _NODE)
    if not of_kafka and (last not in _IMAGES or field.of("command").value or field.of("entrypoint").value):
        return None
    version = tag if re.fullmatch(r"[\w.-]{1,60}", tag) and tag != "latest" else None
    return Node(
        service,
        field,
        settings,
        next((given[name] for name in _CLUSTER_ID if given.get(name)), None),
        _published(field.of("ports")),
        [*(given[name] for name in _JVM if name in given), *commands],
        f"{last or 'image'} {version}" if version else None,
        sorted(set(unset)),
        environment(field.of("labels")),
        [key for key in ("env_file", "extends") if field.of(key).value is not None],
    )


def _published(field: Field) -> dict[int, int]:
    """Ports that are published one by one: `8080:80`, `127.0.0.1:8080:80/tcp`, or target and published."""
    found: dict[int, int] = {}
    for one in field.items():
        if isinstance(one.value, dict):
            inside, outside = one.of("target").text() or "", one.of("published").text() or ""
        else:
            text = interpolated(one.text() or "")[0].partition("/")[0]
            rest, _, inside = text.rpartition(":")
            outside = rest.rpartition(":")[2]
        if re.fullmatch(r"[0-9]{1,5}", inside) and re.fullmatch(r"[0-9]{1,5}", outside):
            found[int(inside)] = int(outside)
    return found
