"""Judgements of many days side by side: takes a home, gives the timelines of what is published and of replays.

    replays/r0001/replay.json          what was asked for
    replays/r0001/findings/ds=D/...    each day as the rules of the replay judge it
    replays/r0001/timelines.json       every finding: the day on which it would first have fired, and what came after

A replay measures nothing and publishes nothing: letters and pages stay as they are.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from kafka_fleet.base.errors import UsageError
from kafka_fleet.documents.day_summaries import read_day_summary
from kafka_fleet.documents.summary import DaySummary
from kafka_fleet.documents.timeline import Timeline, timelines
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.files import claim_name, list_names, replace_file
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_beside import Replay
from kafka_fleet.store.home_names import MANIFESTS, days_in

_NAME = re.compile(r"r\d{4,}")


def days_to_replay(home: Path, first: str, last: str) -> list[str]:
    """Days of which sweeps are stored. Raises UsageError where there is none, or the range is none."""
    if first > last:
        raise UsageError(f"{first} is after {last}: there is no day between them")
    found = days_in(Home(home).raw_folder(MANIFESTS), first, last)
    if not found:
        raise UsageError(f"no sweep is stored from {first} to {last}; a day cannot be measured afterwards")
    return found


def replay_rules(signatures: Sequence[str], advisories: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Signatures to judge by (none: all), and keys of the findings asked for (None: all).

    Raises UsageError for names that are none.
    """
    known, catalogue = load_signatures(), load_advisories()
    for what, asked, there in (("signature", signatures, known), ("advisory", advisories, catalogue)):
        unknown = sorted(set(asked) - set(there))
        if unknown:
            raise UsageError(f"no {what} {', '.join(unknown)}")
    shown = [catalogue[name].signature for name in advisories]
    # an advisory that no signature shows needs none, but a judgement is by one at least: then by all
    needed = {one.id for one in shown if one} if all(shown) else set(known)
    chosen = sorted({*signatures, *(needed if advisories else ())})
    return ([] if set(chosen) == set(known) else chosen), (list(advisories) if advisories and not signatures else None)


def claim_replay(home: Path, asked: Mapping[str, Any]) -> Path:
    """A folder that no other replay has, with what was asked for."""
    folder = Home(home).stage("replays")
    while True:
        taken = [int(name[1:]) for name in list_names(folder) if _NAME.fullmatch(name)]
        results = Home(home).replay(f"r{max(taken, default=0) + 1:04d}")
        try:
            claim_name(results)
        except FileExistsError:
            continue
        replace_file(Replay(results).asked, _json(dict(asked)))
        return results


def _json(content: Any) -> bytes:
    return (json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


def read_timelines(
    results: Path, days: Sequence[str], clusters: Collection[str] = (), only: Collection[str] | None = None
) -> list[Timeline]:
    """Timelines of every cluster that any of these days judged, or of those named; the days that were not are left out.

    only: keys of the findings. Raises ValueError for a damaged document.
    """
    summaries: dict[str, dict[str, DaySummary]] = defaultdict(dict)
    for ds in days:
        generation = current_generation(Home(results).day(ds).findings)
        if generation is None:
            continue
        of = Home(results).generation(ds, generation)
        judged = {Path(name).stem for folder in (of.verdicts, of.clusters) for name in list_names(folder)}
        for cluster in sorted(judged):
            found = read_day_summary(results, ds, cluster, generation) if not clusters or cluster in clusters else None
            if found is not None:
                summaries[cluster][ds] = found
    return [line for cluster in sorted(summaries) for line in timelines(cluster, summaries[cluster], only)]


def of_signatures(lines: Sequence[Timeline], signatures: Collection[str]) -> list[Timeline]:
    """Those that rest on these signatures: what was not judged by is not evaluated on any day. None named: all."""
    return [line for line in lines if not signatures or line.signature in signatures]


def compared(lines: Sequence[Timeline], published: Sequence[Timeline]) -> list[dict[str, Any]]:
    """A replay's timelines as JSON, each with the first day on which it fired as published."""
    told = {(line.cluster, line.key): line.first for line in published}
    rows = []
    for line in lines:
        first = told.get((line.cluster, line.key))
        rows.append({**line.plain(), "published_first": first.ds if first else None})
    return rows


def timelines_of(results: Path, asked: Mapping[str, Any]) -> list[Timeline]:
    """A replay's findings. asked: its `days`, `signatures` (none: all) and `only` (keys of findings; None: all)."""
    return of_signatures(read_timelines(results, asked["days"], only=asked["only"]), asked["signatures"])


def store_replay(
    home: Path, results: Path, lines: Sequence[Timeline], asked: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Compare a replay's findings with what is published, write timelines.json beside them, and give its rows."""
    rows = compared(lines, read_timelines(home, asked["days"], only=asked["only"]))
    replace_file(Replay(results).timelines, _json({"schema_version": 1, "timelines": rows}))
    return rows
