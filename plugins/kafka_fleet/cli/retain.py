"""`kafka-fleet retain`: takes its parsed options, lists what can be deleted, and deletes it with --delete."""

import argparse
import time
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.store.raw.retention import Plan, carry_out, plan

SHOWN = 10  # of the files that no manifest names


def retain(options: argparse.Namespace) -> int:
    """Nothing is deleted without --delete."""
    try:
        found = plan(options.home, options.keep_raw_days, time.time() if options.clock_is_right else None)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if found.doubt:
        raise UsageError(f"{found.doubt}; where nothing was collected since, say so with --clock-is-right")
    for line in lines(found, options.home):
        print(line)
    for line in carry_out(options.home, found) if options.delete else []:
        print(line)
    print("deleted" if options.delete else "nothing is deleted without --delete")
    return 0


def lines(what: Plan, home: Path) -> list[str]:
    """What goes, what stays and why, a line each."""
    told = [what.doubt] if what.doubt else []
    told += [f"{one.ds}: {len(one.files)} files of raw were begun to be deleted" for one in what.begun]
    for ds, files in what.raw.items():
        told.append(f"{ds}: {len(files)} files of raw, {sum(files.values()) / 1e6:.1f} MB")
    told += [f"{tree.relative_to(home)}: no reader follows it" for tree in what.trees]
    told += what.kept
    told += [f"{name} stays: no manifest names it" for name in what.unnamed[:SHOWN]]
    if len(what.unnamed) > SHOWN:
        told.append(f"{len(what.unnamed) - SHOWN} more files stay: no manifest names them")
    return told
