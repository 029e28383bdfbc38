"""`kafka-fleet ready`: takes a home and a cluster, says whether brokers may be stopped, one line per reason."""

import argparse
import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.documents.published import Published
from kafka_fleet.documents.readiness import Readiness
from kafka_fleet.knowledge.releases import ReleaseError
from kafka_fleet.report.readiness_words import LEVEL_WORDS, brokers_words, codes, reason_lines
from kafka_fleet.roll.judged_days import known_of
from kafka_fleet.roll.processes import listed_brokers
from kafka_fleet.roll.readiness import READS, Asked, readiness
from kafka_fleet.roll.target import target_release
from kafka_fleet.store.raw.newest_sweep import SweepTables, newest_sweep, sweep_tables

EXIT_CODES = {"ready": 0, "not_ready": 1, "unknown": 3}
_CLUSTER = re.compile(r"[a-z0-9-]{1,63}")


def tables_of(home: Path, cluster: str, reads: dict[str, tuple[str, ...]] | None = None) -> SweepTables | None:
    """The tables of the cluster's newest sweep; None where none is stored of a cluster that is known.

    Raises UsageError for a cluster that the home knows nothing of.
    """
    if not _CLUSTER.fullmatch(cluster):
        raise UsageError(f"{cluster[:80]!r} is no cluster id")
    wanted = READS if reads is None else reads
    sweep = newest_sweep(home, cluster, list(wanted))
    if sweep is not None:
        return sweep_tables(home, sweep, wanted)
    published = Published(home)
    if not any(published.day_summary(ds, cluster) is not None for ds in published.days()[:1]):
        raise UsageError(f"no sweep and no judged day under {home} is of a cluster {cluster}")
    return None


def ready(options: argparse.Namespace) -> int:
    """The answer. Exit code 0 all brokers are ready, 1 one is not, 3 something was not measured."""
    if unknown := sorted(set(options.checked) - set(codes())):
        raise UsageError(f"no reason is called {', '.join(unknown)}; there are: {', '.join(sorted(codes()))}")
    try:
        target = None if options.to is None else target_release(options.to)
    except ReleaseError as error:
        raise UsageError(str(error)) from error
    tables = tables_of(options.home, options.cluster)
    brokers = options.broker or None
    if brokers and tables is not None and (absent := sorted(set(brokers) - set(listed_brokers(tables)))):
        raise UsageError(f"{options.cluster} has no broker {', '.join(map(str, absent))} at its newest sweep")
    fresh = timedelta(minutes=options.max_age)
    asked = Asked(brokers, target, datetime.now(UTC), fresh, frozenset(options.checked))
    found = readiness(tables, asked, known_of(options.home, options.cluster))
    if options.json:
        json.dump({**found.plain(), "cluster": options.cluster, "state": found.state}, sys.stdout, indent=1)
        print()
    else:
        show(options.cluster, found, frozenset(options.checked))
    return EXIT_CODES[found.state]


def show(cluster: str, found: Readiness, checked: frozenset[str]) -> None:
    """One line per reason, the answer last."""
    for one, line in reason_lines(found.reasons):
        word = "checked" if one.code in checked else LEVEL_WORDS[one.level]
        print(f"{word:<12}  {one.code:<24}  {line}")
    at = "never measured" if found.sweep_at is None else f"measured at {found.sweep_at}"
    print(f"{cluster}, {at}: {brokers_words(found)}")
