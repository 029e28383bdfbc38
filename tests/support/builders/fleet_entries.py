"""A valid entry of a fleet file: takes changes, gives the parsed fleet."""

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
