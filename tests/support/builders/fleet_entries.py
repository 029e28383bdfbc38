"""A valid entry of a fleet file: takes changes, gives the parsed fleet."""

from copy import deepcopy
from typing import Any

from kafka_fleet.config.fleet import parse_fleet

GOOD: dict[str, Any] = {
    "id": "payments-eu",
    "environment": "production",
    "owners": ["payments-oncall@example.org"],
    "bootstrap_servers": ["broker-1.example.org:9092"],
    "jolokia": {"brokers": {1: "http://broker-1.example.org:8778/jolokia"}},
}


def fleet(*entries: Any) -> Any:
    return parse_fleet({"version": 1, "clusters": list(entries)}, "fleet.yaml")


def changed(entry: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The entry with another value at this path; None: without it."""
    made = deepcopy(entry)
    target: Any = made
    for part in path[:-1]:
        target = target[part] if isinstance(target, list) else target.setdefault(part, {})
    if value is None:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return made
