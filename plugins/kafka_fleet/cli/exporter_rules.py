"""`kafka-fleet exporter-rules`: the rules of the JMX exporter that show everything, or what a cluster lacks."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.ready import tables_of
from kafka_fleet.collect.metrics.left_out import left_out
from kafka_fleet.collect.metrics.reading import attribute_of
from kafka_fleet.schema.exporter_rules import rules_file, rules_for
from kafka_fleet.schema.mbeans import Bean, mbean_of, readable
from kafka_fleet.schema.reporter_allow_list import ALLOW_LIST, ALLOW_LIST_PROPERTY, entries_for

Row = dict[str, Any]

START = mbean_of("broker_metrics", "jvm_start_ms")  # without it nothing of a broker is stored
READS = {
    "brokers": ("broker", "is_broker", "metrics_url", "read_at", "outcome", "kind", "detail", "missing"),
    "broker_metrics": ("broker", "release"),
}
OWN_LIST = "# where there is no such list yet, it replaces the operator's: take all of exporter-rules --allow-list"
EVENTS = "not shown; brokers make these at an event, by role or by mode"


def exporter_rules(options: argparse.Namespace) -> int:
    """The whole file; with a home and a cluster what the endpoints of its newest sweep left out, as rules to add, or
    as entries of the allow list of Strimzi's metrics reporter.
    """
    if (options.home is None) != (options.cluster is None):
        raise UsageError("exporter-rules takes --home H and --cluster ID together, or neither")
    if options.home is not None and options.allow_list:
        raise UsageError("exporter-rules takes --allow-list alone: what a cluster needs its answers tell")
    if options.home is None:
        print("\n".join(entries_for(readable())) + "\n" if options.allow_list else rules_file(), end="")
        return 0
    tables = tables_of(options.home, options.cluster, READS)
    rows = [] if tables is None else tables.table("brokers").to_pylist()
    asked = [row for row in rows if row["metrics_url"] is not None]
    read = [row for row in asked if row["read_at"] is not None or row["kind"] == "not_exported"]
    if tables is None or not read:
        raise UsageError(f"{options.cluster}: its newest sweep read no metrics endpoint")
    releases = {row["broker"]: row["release"] for row in tables.table("broker_metrics").to_pylist()}
    reporters = [row for row in read if ALLOW_LIST in (row["detail"] or "")]
    rules = _lines(_lacking([row for row in read if row not in reporters], releases), rules_for)
    entries = _lines(_lacking(reporters, releases), entries_for)
    if rules:
        print(f"# {options.cluster}: to be put before the other rules of its metrics endpoints", *rules, sep="\n")
    if entries:
        print(f"# {options.cluster}: to be added to {ALLOW_LIST}, or {ALLOW_LIST_PROPERTY}", OWN_LIST, sep="\n")
        print(*entries, sep="\n")
    if not rules and not entries:
        print(f"# {options.cluster}: its metrics endpoints show all that is read")
    return 0


def _lacking(read: Sequence[Row], releases: Mapping[int, str | None]) -> tuple[list[Bean], list[Bean]]:
    """What these endpoints left out, each attribute once: of every broker, and of those that may have it."""
    always, perhaps = dict[str, Bean](), dict[str, Bean]()
    for row in read:
        unstored = row["kind"] == "not_exported"
        if unstored or (row["outcome"] != "ok" and row["is_broker"]):  # a controller lacks most, and nothing else
            lacking = left_out([START] if unstored else row["missing"], releases.get(row["broker"]), assumed=None)
            for into, beans in zip((always, perhaps), lacking, strict=True):
                into.update({attribute_of(bean, bean.columns[0]): bean for bean in beans})
    return list(always.values()), [bean for name, bean in perhaps.items() if name not in always]


def _lines(lacking: tuple[list[Bean], list[Bean]], written: Callable[[Iterable[Bean]], list[str]]) -> list[str]:
    """Both kinds under their words, each line once; none for a kind that has none."""
    found: list[str] = []
    for about, beans in zip(("left out", EVENTS), lacking, strict=True):
        lines = [line for line in written(beans) if line not in found]
        found += [f"# {about}", *lines] if lines else []
    return found
