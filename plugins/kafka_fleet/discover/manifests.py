"""Manifests of Kubernetes: takes documents, gives those that are resources, and their kinds in words."""

from collections.abc import Iterable

from kafka_fleet.discover.fields import Field

STRIMZI, CONFLUENT = "kafka.strimzi.io/", "platform.confluent.io/"
_KEYS = ("apiVersion", "kind")


def resources_of(fields: Iterable[Field]) -> list[Field]:
    """Documents that are resources of Kubernetes; of a list, its items."""
    found = []
    for field in fields:
        if isinstance(field.value, dict) and all(isinstance(field.value.get(key), str) for key in _KEYS):
            items = field.value.get("items")
            found += resources_of(field.of("items").items()) if isinstance(items, list) and items else [field]
    return found


def kinds_of(resources: Iterable[Field]) -> str:
    """API version and kind of each, once; of Confluent for Kubernetes, what to do instead."""
    kinds = {" ".join(one.of(key).text() or "" for key in _KEYS).strip() for one in resources}
    said = ", ".join(sorted(kinds))[:200]
    if any(one.startswith(CONFLUENT) for one in kinds):
        said += " (Confluent for Kubernetes, which is not read: kafka-fleet discover hosts takes a list of clusters)"
    return said
