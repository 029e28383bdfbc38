"""`kafka-fleet exporter-rules`: the rules of the JMX exporter that show everything, or those that a cluster lacks."""

import argparse

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.ready import tables_of
from kafka_fleet.collect.metrics.left_out import left_out
from kafka_fleet.collect.metrics.reading import attribute_of
from kafka_fleet.schema.exporter_rules import rules_file, rules_for
from kafka_fleet.schema.mbeans import Bean, mbean_of

START = mbean_of("broker_metrics", "jvm_start_ms")  # without it nothing of a broker is stored
READS = {
    "brokers": ("broker", "is_broker", "metrics_url", "read_at", "outcome", "kind", "missing"),
    "broker_metrics": ("broker", "release"),
}


def exporter_rules(options: argparse.Namespace) -> int:
    """The whole file; with a home and a cluster what the endpoints of its newest sweep left out, as rules to add."""
    if (options.home is None) != (options.cluster is None):
        raise UsageError("exporter-rules takes --home H and --cluster ID together, or neither")
    if options.home is None:
        print(rules_file(), end="")
        return 0
    tables = tables_of(options.home, options.cluster, READS)
    rows = [] if tables is None else tables.table("brokers").to_pylist()
    asked = [row for row in rows if row["metrics_url"] is not None]
    read = [row for row in asked if row["read_at"] is not None or row["kind"] == "not_exported"]
    if tables is None or not read:
        raise UsageError(f"{options.cluster}: its newest sweep read no metrics endpoint")
    releases = {row["broker"]: row["release"] for row in tables.table("broker_metrics").to_pylist()}
    always, perhaps = dict[str, Bean](), dict[str, Bean]()
    for row in read:
        unstored = row["kind"] == "not_exported"
        if unstored or (row["outcome"] != "ok" and row["is_broker"]):  # a controller lacks most, and nothing else
            lacking = left_out([START] if unstored else row["missing"], releases.get(row["broker"]), assumed=None)
            for into, beans in zip((always, perhaps), lacking, strict=True):
                into.update({attribute_of(bean, bean.columns[0]): bean for bean in beans})
    if not always and not perhaps:
        print(f"# {options.cluster}: its metrics endpoints show all that is read")
        return 0
    print(f"# {options.cluster}: to be put before the other rules of its metrics endpoints")
    _print("left out", always)
    _print(
        "not shown; brokers make these at an event, by role or by mode",
        {k: v for k, v in perhaps.items() if k not in always},
    )
    return 0


def _print(about: str, beans: dict[str, Bean]) -> None:
    if beans:
        print(f"# {about}")
        print("\n".join(rules_for(beans.values())))
