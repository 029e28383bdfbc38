"""Settings of one broker or topic: takes what DescribeConfigs says, gives rows without secrets and of bounded size."""

from collections.abc import Mapping
from typing import Any

from kafka_fleet.schema.config_names import LONGEST_NAME, LONGEST_VALUE, allowed

MOST = 5_000  # settings of one resource that are all kept by name; brokers have some 300, and some 30 per listener


def config_rows(kind: str, configs: Mapping[str, Mapping[str, Any]]) -> tuple[list[dict[str, Any]], str | None]:
    """A row per setting, and a sentence when something was too much. kind: broker, topic or client."""
    known = allowed(kind)
    names = [name for name in configs if len(name) <= LONGEST_NAME]
    if len(names) > MOST:
        names = [name for name in names if name in known]
    rows = [_row(name, configs[name], name in known) for name in names]
    long = sum(row["value"] is not None and len(row["value"]) > LONGEST_VALUE for row in rows)
    for row in rows:
        if row["value"] is not None and len(row["value"]) > LONGEST_VALUE:
            row |= {"value": None, "redacted": True}
    left = len(configs) - len(rows)
    faults = [f"{long} values longer than {LONGEST_VALUE:,} characters were not stored"] if long else []
    faults += [f"{left:,} of {len(configs):,} settings were not stored"] if left else []
    return rows, "; ".join(faults) or None


def _row(name: str, config: Mapping[str, Any], known: bool) -> dict[str, Any]:
    hidden = bool(config.get("is_sensitive")) or not known
    source = config.get("config_source")
    default = config.get("is_default")
    return {
        "name": name,
        "value": None if hidden else config.get("value"),
        "redacted": hidden,
        "source": source,
        "is_default": bool(default) if default is not None else source == "DEFAULT_CONFIG",
    }
