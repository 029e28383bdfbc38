"""A fleet file for the command line, and an admin layer that answers without a broker."""

from typing import Any

import yaml

GOOD: dict[str, Any] = {
    "id": "payments-eu",
    "environment": "production",
    "owners": ["payments-oncall@example.org"],
    "bootstrap_servers": ["127.0.0.1:1"],
    "jolokia": {"brokers": {1: "http://127.0.0.1:1/jolokia"}},
}


class Plain(yaml.SafeDumper):
    """Writes parts that several entries share out in full: the fleet file knows no aliases."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True
