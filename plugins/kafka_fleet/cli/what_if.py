"""`kafka-fleet what-if`: takes a home, a cluster and a change, prints what would follow from it. Nothing is changed."""

import argparse
import json
import sys
from collections.abc import Sequence

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.commands import table
from kafka_fleet.cli.ready import tables_of
from kafka_fleet.documents.readiness import LEVELS, ReadinessReason
from kafka_fleet.report.formatting import number, plural
from kafka_fleet.report.readiness_words import LEVEL_WORDS, reason_words
from kafka_fleet.report.sanitize import displayed
from kafka_fleet.roll import topic_growth
from kafka_fleet.roll.processes import listed_brokers
from kafka_fleet.roll.what_if import brokers_of_rack, group_starts, of_rack, of_restart
from kafka_fleet.store.raw.newest_sweep import SweepTables

_UNREAD = 3
_LONGEST = 80
_CONSEQUENCE = {**LEVEL_WORDS, "blocks": "harm"}  # nothing is asked for that could be refused


def _tables(options: argparse.Namespace, reads: dict[str, tuple[str, ...]] | None = None) -> SweepTables:
    found = tables_of(options.home, options.cluster, reads)
    if found is None:
        raise UsageError(f"no sweep under {options.home} is of {options.cluster}")
    return found


def what_if_restart(options: argparse.Namespace) -> int:
    """A broker restarts: connections against the backlog, partitions and groups."""
    tables = _tables(options)
    if options.broker not in listed_brokers(tables):
        raise UsageError(f"{options.cluster} has no broker {options.broker} at its newest sweep")
    return _show(options, tables, list(of_restart(tables, options.broker)))


def what_if_rack(options: argparse.Namespace) -> int:
    """A rack is lost: partitions under min ISR and offline, leaders and coordinators that move."""
    tables = _tables(options)
    gone = brokers_of_rack(tables, options.rack)
    if not gone:
        racks = sorted({one["rack"] for one in tables.table("brokers").to_pylist() if one["rack"]})
        known = ", ".join(displayed(one, _LONGEST) for one in racks) or "none is set"
        raise UsageError(f"{options.cluster} has no broker in rack {displayed(options.rack, _LONGEST)}; racks: {known}")
    return _show(options, tables, list(of_rack(tables, gone)), gone)


def _show(
    options: argparse.Namespace, tables: SweepTables, reasons: Sequence[ReadinessReason], gone: Sequence[int] = ()
) -> int:
    reasons = sorted(reasons, key=lambda one: LEVELS.index(one.level))
    at = tables.sweep.sweep_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    if options.json:
        content = {"cluster": options.cluster, "sweep_at": at, "reasons": [one.plain() for one in reasons]}
        json.dump(content | ({"brokers": list(gone)} if gone else {}), sys.stdout, indent=1)
        print()
    else:
        for one in reasons:
            print(f"{_CONSEQUENCE[one.level]:<12}  {one.code:<24}  {reason_words(one)}")
        brokers = f", {plural(len(gone), 'broker')} gone: {', '.join(map(str, gone))}" if gone else ""
        print(f"{options.cluster}, measured at {at}{brokers}")
    return _UNREAD if any(one.level == "unmeasured" for one in reasons) else 0


def what_if_partitions(options: argparse.Namespace) -> int:
    """A topic gets more partitions: which groups would skip about how many records."""
    tables = _tables(options, {name: tuple(columns) for name, columns in topic_growth.READS.items()})
    starts = group_starts(options.home, options.cluster)
    try:
        found = topic_growth.growth(tables, options.topic, options.add, starts)
    except topic_growth.NoTopic as error:
        shown = displayed(options.topic, _LONGEST)
        raise UsageError(f"{options.cluster} has no topic {shown} at its newest sweep") from error
    if found is None:
        print("not measured: topics, groups or their committed offsets were not read", file=sys.stderr)
        return _UNREAD
    if options.json:
        content = {
            "cluster": options.cluster, "topic": options.topic, "partitions": found.partitions, "added": options.add,
            "records_per_second": found.rate, "groups": [one.plain() for one in found.groups],
        }  # fmt: skip
        json.dump(content, sys.stdout, indent=1)
        print()
    else:
        _show_growth(options, found)
    return 0 if found.rate is not None else _UNREAD


def _show_growth(options: argparse.Namespace, found: topic_growth.Growth) -> None:
    rate = "not measured" if found.rate is None else f"{number(round(found.rate, 1))} records/s"
    topic = displayed(options.topic, _LONGEST)
    print(f"{topic}: {plural(found.partitions, 'partition')} and {options.add:,} more; {rate}")
    rows = [
        [
            displayed(one.group, _LONGEST), one.policy, one.source, one.members,
            "no bound" if one.at_most is None else f"0 to {one.at_most:,}",
        ]
        for one in found.groups
    ]  # fmt: skip
    if rows:
        table(["group", "begins at", "known by", "members", "records skipped"], rows)
    else:
        print("no group has committed on it or has it assigned")
    print(
        "With another number of partitions most keys go to another partition: order per key is lost across the change."
    )
