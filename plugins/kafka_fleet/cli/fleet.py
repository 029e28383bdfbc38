"""Verbs of the command line that are about the fleet file and the acknowledgements beside it."""

import argparse
import os
import pwd
import sys
from collections.abc import Sequence

from pydantic import ValidationError

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.validation_errors import describe_errors
from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.config import acknowledgement_edits, acknowledgements
from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.config.connections import channel_credentials, connection_problems
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import Cluster, Fleet, load_fleet
from kafka_fleet.documents.day_summaries import read_day_summary
from kafka_fleet.knowledge.catalogue_check import check_catalogues
from kafka_fleet.notify.channel_probe import check_channel
from kafka_fleet.report.formatting import plural


def fleet_of(options: argparse.Namespace) -> Fleet:
    """The fleet file; its errors go to stderr, one sentence each, and the valid clusters are used."""
    try:
        fleet = load_fleet(options.fleet)
    except FleetFileError as error:
        raise UsageError(str(error)) from error
    for fault in fleet.errors:
        print(fault, file=sys.stderr)
    return fleet


def chosen(fleet: Fleet, names: Sequence[str]) -> list[Cluster]:
    """The clusters of these names, all without any. Raises UsageError for a name that is none."""
    unknown = sorted(set(names) - {cluster.id for cluster in fleet.clusters})
    if unknown:
        raise UsageError(f"no valid cluster {', '.join(unknown)} in the fleet file")
    if not fleet.clusters:
        raise UsageError("the fleet file has no valid cluster")
    return [cluster for cluster in fleet.clusters if not names or cluster.id in names]


def acknowledged_of(options: argparse.Namespace) -> Acknowledgements:
    """The file beside the fleet file; its errors go to stderr, one sentence each, and the valid entries are used."""
    found = acknowledgements.load_acknowledgements(acknowledgements.acknowledgements_path(options.fleet))
    for _cluster, fault in found.faults:
        print(fault, file=sys.stderr)
    return found


def check(options: argparse.Namespace) -> int:
    """`kafka-fleet check`: the fleet file, the catalogues, or both."""
    if options.fleet is None and not options.catalogues:
        raise UsageError("check takes --fleet F, --catalogues, or both")
    if options.fleet is None and options.connections:
        raise UsageError("--connections takes --fleet F: the fleet file names the connections")
    codes = [_check_catalogues()] if options.catalogues else []
    codes += [_check_fleet(options)] if options.fleet is not None else []
    return max(codes)


def _check_catalogues() -> int:
    checked = check_catalogues()
    for one in checked.faults:
        print(one, file=sys.stderr)
    entries = [f"{count} {name}" for name, count in checked.counts.items()]
    print(f"catalogues: {', '.join([*entries, plural(len(checked.faults), 'error')])}")
    return 2 if checked.faults else 0


def _check_fleet(options: argparse.Namespace) -> int:
    fleet, acknowledged = fleet_of(options), acknowledged_of(options)
    clusters, errors = plural(len(fleet.clusters), "valid cluster"), plural(len(fleet.errors), "error")
    print(f"{options.fleet}: {clusters}, {errors}")
    if acknowledged.entries or acknowledged.faults:
        entries, faults = (
            plural(len(acknowledged.entries), "acknowledgement"),
            plural(len(acknowledged.faults), "error"),
        )
        print(f"{acknowledgements.acknowledgements_path(options.fleet)}: {entries}, {faults}")
    for cluster in fleet.clusters:
        if cluster.read_by is None:
            print(f"{cluster.id}: neither jolokia nor metrics: only what the Kafka protocol tells is judged")
    use_channel = check_channel if options.connections else channel_credentials  # the one imports providers
    unusable = connection_problems(fleet.clusters, local_credentials(), use_channel)
    for problem in unusable:
        print(problem, file=sys.stderr if options.connections else sys.stdout)
    if unusable and not options.connections:
        print("Connections that only Airflow has cannot be seen from here.")
    return 2 if fleet.errors or acknowledged.faults or (unusable and options.connections) else 0


def acknowledge(options: argparse.Namespace) -> int:
    """`kafka-fleet acknowledge`: a day's finding, as it stands, into the file beside the fleet file; or out of it."""
    path = acknowledgements.acknowledgements_path(options.fleet)
    needed = {name: getattr(options, name) for name in ("home", "date", "reason", "owner", "expires")}
    if options.remove:
        if given := [name for name, value in needed.items() if value is not None]:
            raise UsageError(f"--remove takes no {', '.join(f'--{name}' for name in given)}")
        try:
            acknowledgement_edits.remove_acknowledgement(path, options.cluster, options.finding)
        except FleetFileError as error:
            raise UsageError(str(error)) from error
        print(f"{path}: {options.finding} of {options.cluster} is acknowledged no more")
        return 0
    if absent := [name for name, value in needed.items() if value is None]:
        raise UsageError(f"to acknowledge a finding takes {', '.join(f'--{name}' for name in absent)} too")
    one = _as_it_stands(options)
    try:
        acknowledgement_edits.add_acknowledgement(path, one)
    except FleetFileError as error:
        raise UsageError(str(error)) from error
    print(f"{path}: {one.key} of {one.cluster} is acknowledged until {one.expires}")
    return 0


def _user() -> str:
    """Who runs this: the operating system's user, and not what the environment says."""
    number = os.getuid()
    try:
        return f"system user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"system user {number}"


def _as_it_stands(options: argparse.Namespace) -> acknowledgements.Acknowledgement:
    """The finding that is meant, acknowledged as it is on the day. Raises UsageError."""
    chosen(fleet_of(options), [options.cluster])
    short = read_day_summary(options.home, options.date, options.cluster)
    rows = {row.key: row for row in short.rows} if short else {}
    if options.finding not in rows:
        known = ", ".join(sorted(rows)) or "none"
        raise UsageError(f"{options.cluster} has no finding {options.finding} on {options.date}; it has: {known}")
    said = (options.reason, options.owner, options.expires, _user())
    try:
        return acknowledgements.of_finding(rows[options.finding], options.cluster, options.date, *said)
    except ValidationError as error:
        raise UsageError("; ".join(describe_errors(error, "entry"))) from error
