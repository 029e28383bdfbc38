"""`kafka-fleet roll`: takes a home and a cluster, prints what each roll of a judged day did, and the days beside it."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.commands import table
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.published import Published
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.domain import SignatureState
from kafka_fleet.report.formatting import NO_BREAK
from kafka_fleet.report.roll_words import RESTART_HEAD, restart_cells, roll_lines, roll_title
from kafka_fleet.roll.judged_days import reports_of
from kafka_fleet.roll.over_midnight import whole_rolls


def roll(options: argparse.Namespace) -> int:
    """The rolls of a day; without one those of the newest judged day that has any."""
    report = _report(options.home, options.cluster, options.day)
    if report is None:
        none = {"cluster": options.cluster, "ds": None, "rolls": [], "signatures": {}}
        print(json.dumps(none, indent=1) if options.json else f"no judged day shows a restart of {options.cluster}")
        return 0
    if report.rolls is None:
        raise UsageError(f"{report.ds}: {options.cluster} was judged before rolls were kept; judge the day again")
    source = Published(options.home)
    rolls = whole_rolls(lambda ds: source.known_rolls(ds, options.cluster), report.ds) or []
    beside = states_beside(options.home, options.cluster, report.ds)
    if options.json:
        found = {
            "cluster": options.cluster,
            "ds": report.ds,
            "rolls": [one.plain() for one in rolls],
            "signatures": beside,
        }
        json.dump(found, sys.stdout, indent=1)
        print()
        return 0
    if not rolls:
        print(f"{options.cluster}: no broker was restarted on {report.ds}")
    for one in rolls:
        show(one, report.ds)
    if rolls:
        _show_states(beside)
    return 0


def show(one: RollReport, ds: str) -> None:
    """Title, restarts, and a line for each thing that it did."""
    print(roll_title(one, ds))
    table(RESTART_HEAD, [restart_cells(restart, ds) for restart in one.restarts])
    for line in roll_lines(one):
        print(f"- {line.replace(NO_BREAK, ' ')}")
    print()


def _show_states(beside: Mapping[str, Mapping[str, SignatureState | None]]) -> None:
    rows = [[name, *(state or "not judged" for state in states.values())] for name, states in beside.items()]
    table(["signature", "the day before", "this day", "the day after"], rows)


def _report(home: Path, cluster: str, day: str | None) -> ClusterReport | None:
    if day is not None:
        found = next(reports_of(home, cluster, day, day), None)
        if found is None:
            raise UsageError(f"{day}: nothing is judged of {cluster}")
        return found
    newest = None
    for report in reports_of(home, cluster):
        newest = newest or report
        if report.rolls:
            return report
    if newest is None:
        raise UsageError(f"no judged day under {home} is of a cluster {cluster}")
    return newest if newest.rolls is None else None


def states_beside(home: Path, cluster: str, ds: str) -> dict[str, dict[str, SignatureState | None]]:
    """Each signature's state on the judged day before, on the day, and on the one after; None: not judged."""
    published = Published(home)
    days = sorted(one for one in published.days())
    earlier, later = [one for one in days if one < ds][-1:], [one for one in days if one > ds][:1]
    chosen = {"before": next(iter(earlier), None), "day": ds, "after": next(iter(later), None)}
    found: dict[str, dict[str, SignatureState | None]] = {}
    summaries = {key: published.day_summary(one, cluster) if one else None for key, one in chosen.items()}
    names = sorted({name for short in summaries.values() if short is not None for name in short.states})
    for name in names:
        found[name] = {key: None if short is None else short.states.get(name) for key, short in summaries.items()}
    return found
