"""Verbs of the command line that are about many days: what was found when, and what today's rules would have found."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.cli.commands import submit, table
from kafka_fleet.cli.fleet import fleet_of
from kafka_fleet.documents.replays import (
    claim_replay,
    days_to_replay,
    read_timelines,
    replay_rules,
    store_replay,
    timelines_of,
)
from kafka_fleet.documents.timeline import Timeline
from kafka_fleet.knowledge.pack import used_pack
from kafka_fleet.store.bucket import address
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_beside import Replay
from kafka_fleet.store.home_names import days_in
from kafka_fleet.store.raw.manifests import manifests

_AFTER = {
    "still there": "still there after the fixed release",
    "gone": "gone after the upgrade",
    "waiting": "quiet since the upgrade, too few days yet",
    "": "",
}


def _releases(line: Timeline) -> str:
    return " -> ".join(dict.fromkeys(one.release for one in line.days if one.release)) or "?"


def _show(lines: Sequence[Timeline], rows: Sequence[dict[str, Any]], published: bool) -> None:
    shown = []
    for line, row in zip(lines, rows, strict=True):
        counts = "/".join(str(len(line.of(state))) for state in ("fired", "clean", "unseen"))
        told = [row["published_first"] or "never"] if published else []
        fired = [row["first_fired"] or "never", row["last_fired"] or ""]
        shown.append([line.cluster, line.key, *fired, *told, counts, line.worst, _releases(line), _AFTER[line.outcome]])
    since = ["published since"] if published else []
    head = ["first fired", "last", *since, "fired/clean/unseen days", "worst", "release", "after upgrade"]
    table(["cluster", "finding", *head], shown)


def history(options: argparse.Namespace) -> int:
    """`kafka-fleet history`: the published findings of a range of days, each with its first day and its end."""
    days = days_in(Home(options.home).stage("findings"), options.first, options.last)
    if not days:
        raise UsageError(f"nothing is judged from {options.first} to {options.last} under {options.home}")
    lines = read_timelines(options.home, days, options.cluster)
    rows = [line.plain() for line in lines]
    if options.format == "json":
        print(json.dumps(rows, ensure_ascii=False, sort_keys=True, indent=1))
    else:
        _show(lines, rows, published=False)
    return 0


def replay(options: argparse.Namespace) -> int:
    """`kafka-fleet replay`: stored days by today's rules; says when each finding would first have fired."""
    signatures, only = replay_rules(options.signature, options.advisory)
    days = days_to_replay(options.home, options.first, options.last)
    if options.fleet is not None:
        fleet_of(options)
    asked = {"days": days, "signatures": options.signature, "advisories": options.advisory}
    results = claim_replay(options.home, asked)
    arguments = ["replay", "--home", address(options.home), "--results", address(results), "--days", ",".join(days)]
    arguments += ["--sql", str(sql_dir()), "--knowledge", used_pack().handle]
    arguments += ["--fleet", str(options.fleet.resolve())] if options.fleet is not None else []
    arguments += ["--signatures", ",".join(signatures)] if signatures else []
    rows_of = [[file.rows for one in manifests(options.home, ds)[0] for file in one.files.values()] for ds in days]
    code = submit(arguments, max(map(sum, rows_of)))
    found = {"days": days, "signatures": signatures, "only": only}
    lines = timelines_of(results, found)
    rows = store_replay(options.home, results, lines, found)
    print(Replay(results).timelines, file=sys.stderr)
    if options.format == "json":
        print(json.dumps(rows, ensure_ascii=False, sort_keys=True, indent=1))
    else:
        _show(lines, rows, published=True)
    return code
