"""`kafka-fleet import`: takes the parsed options, imports the days of the chosen clusters, gives the exit code."""

import argparse
import re
import sys
from datetime import UTC, date, datetime, timedelta

from kafka_fleet.base import parallel
from kafka_fleet.base.addresses import url_problem
from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.fleet import chosen, fleet_of
from kafka_fleet.collect.connections.http import Failure, Limits
from kafka_fleet.collect.connections.prometheus import Prometheus
from kafka_fleet.config.credentials import CredentialsError, http_credentials, local_credentials
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import.importer import Imported, Source, import_days
from kafka_fleet.prometheus_import.mapping import Choice, Mapping, load_mapping
from kafka_fleet.prometheus_import.targets import ClusterTargets, shared_hosts

CLUSTERS = 4  # at a time: it is one server that answers for all
LIMITS = Limits(deadline_s=120.0, read_s=60.0)
_UNITS = {"s": 1, "m": 60, "h": 3600}


def step_of(text: str) -> timedelta:
    """A step such as 10m: 1 s to 12 h, and the day is a multiple of it. Raises ValueError."""
    found = re.fullmatch(r"([0-9]{1,5})([smh])", text)
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 0 < seconds <= 43_200 or 86_400 % seconds:
        raise ValueError(f"{text[:40]!r} is no step: 1s to 12h, such as 10m, of which a day is a multiple")
    return timedelta(seconds=seconds)


def imported_days(first: str, last: str, today: date) -> list[date]:
    """All days between two, both included. Raises UsageError for a day that has not begun."""
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    if begin > end:
        raise UsageError(f"--from {first} is after --to {last}")
    if end > today:
        raise UsageError(f"{last} has not begun: there is no history of it")
    return [begin + timedelta(days=number) for number in range((end - begin).days + 1)]


def import_history(options: argparse.Namespace) -> int:
    """Import what has no sweep yet; 1 when nothing could be had of any cluster."""
    problem = url_problem(options.prometheus)
    if problem:
        raise UsageError(f"--prometheus {problem}")
    days = imported_days(options.first, options.last, datetime.now(UTC).date())
    fleet = fleet_of(options)
    wanted, mapping = chosen(fleet, options.cluster), load_mapping(options.map)
    unknown = sorted(set(mapping.clusters) - {cluster.id for cluster in fleet.clusters})
    if unknown:
        raise UsageError(f"{options.map}: clusters: no valid cluster {', '.join(unknown)[:200]} in the fleet file")
    source = _source(options, mapping)
    shared = shared_hosts(fleet.clusters)
    on_terminal = sys.stderr.isatty()

    def say(line: str) -> None:
        if on_terminal:
            print(line, file=sys.stderr, flush=True)

    def run(whose: ClusterTargets) -> Imported:
        return import_days(source, whose, options.home, days, options.step, say)

    whose = [ClusterTargets(one, mapping.clusters.get(one.id, Choice()), shared) for one in wanted]
    results = parallel.run_in_parallel(whose, lambda one: one.cluster.id, run, CLUSTERS, say)
    for result in results:
        print(result.summary())
        for sentence in result.said:
            print(f"{result.cluster}: {sentence}")
    for label, sentence in fleet.invalid.items():
        print(f"{label}: not run: {sentence}")
    return 0 if any(result.landed or result.there for result in results) else 1


def _source(options: argparse.Namespace, mapping: Mapping) -> Source:
    try:
        credentials = http_credentials(options.connection or mapping.connection, local_credentials())
    except CredentialsError as error:
        raise UsageError(str(error)) from error
    server = Prometheus(options.prometheus, credentials, LIMITS)
    try:
        version = server.version()
    except Failure as failure:
        raise ConnectionError(f"{server.url}: {failure}") from None
    return Source(server, f"{server.url} ({version or 'version not told'})", load_names(mapping.spelling()))
