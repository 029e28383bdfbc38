"""`kafka-fleet knowledge preview`: stored days by the pack that is used and by another one; says what differs."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.cli.commands import submit, table
from kafka_fleet.cli.fleet import fleet_of
from kafka_fleet.documents.pack_changes import Compared, pack_changes
from kafka_fleet.documents.replays import claim_replay, days_to_replay
from kafka_fleet.knowledge.pack import Pack
from kafka_fleet.knowledge.pack_source import given_files
from kafka_fleet.report.formatting import plural
from kafka_fleet.store.bucket import address
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import MANIFESTS, days_in
from kafka_fleet.store.knowledge_packs import chosen_pack, staged
from kafka_fleet.store.raw.manifests import manifests

_KINDS = {"comes": "finding comes", "goes": "finding goes", "verdict": "other verdict", "upgrade": "upgrade to"}


def preview(options: argparse.Namespace) -> int:
    """Both judgements are replays: they measure nothing, publish nothing, and stay below `replays/`."""
    stored = days_in(Home(options.home).raw_folder(MANIFESTS))
    if not stored:
        raise UsageError(f"no sweep is stored under {options.home}: there is no day to try a pack on")
    last = options.last or max(options.first or stored[-1], stored[-1])
    days = days_to_replay(options.home, options.first or last, last)
    if options.fleet is not None:
        fleet_of(options)
    with TemporaryDirectory(prefix="kafka-fleet-knowledge-") as folder:
        new = staged(given_files(options.source), str(options.source), Path(folder))
        old = chosen_pack(options.home)
        if new.checksum == old.checksum:
            print(f"knowledge {new} is the one that is used: it changes nothing")
            return 0
        before, after = (_replay(options, days, pack) for pack in (old, new))
    found = pack_changes(before[0], after[0], days)
    if options.format == "json":
        packs = {"before": {"version": old.version, "checksum": old.checksum}}
        packs |= {"after": {"version": new.version, "checksum": new.checksum}}
        rows = [one.plain() for one in found.changes]
        print(json.dumps({**packs, "days": found.days, "changes": rows}, ensure_ascii=False, sort_keys=True, indent=1))
    else:
        _show(found, old, new)
    absent = [ds for ds in days if ds not in found.days]
    if absent and options.format == "table":
        print(f"not compared, since not judged by both: {', '.join(absent)}")
    return max(before[1], after[1], int(bool(absent)))


def _replay(options: argparse.Namespace, days: Sequence[str], pack: Pack) -> tuple[Path, int]:
    """Where a pack's judgement is, and the exit code of the job."""
    asked = {"days": list(days), "signatures": [], "advisories": [], "knowledge": pack.version}
    results = claim_replay(options.home, asked)
    arguments = ["replay", "--home", address(options.home), "--results", address(results), "--days", ",".join(days)]
    arguments += ["--sql", str(sql_dir()), "--knowledge", "builtin" if pack.builtin else str(pack.folder.resolve())]
    arguments += ["--fleet", str(options.fleet.resolve())] if options.fleet is not None else []
    rows_of = [[file.rows for one in manifests(options.home, ds)[0] for file in one.files.values()] for ds in days]
    return results, submit(arguments, max(map(sum, rows_of)))


def _show(found: Compared, old: Pack, new: Pack) -> None:
    rows = [
        [one.cluster, _KINDS[one.kind], one.what, one.was or "-", one.now or "-", _days(one.days)]
        for one in found.changes
    ]
    if rows:
        table(["cluster", "what", "of", f"by {old.version}", f"by {new.version}", "days"], rows)
    touched = len({one.cluster for one in found.changes})
    most = max(found.days.values(), default=0)
    days = plural(len(found.days), "day")
    print(f"{days} judged by {old} and by {new}: {plural(touched, 'cluster')} of {most} would be told something else")


def _days(days: Sequence[str]) -> str:
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]} ({len(days)})"
