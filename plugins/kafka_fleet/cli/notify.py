"""`kafka-fleet notify`: tells the channels of the fleet file what changed of each cluster on a day, or tests them."""

import argparse
import sys
from collections.abc import Callable, Sequence

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.fleet import acknowledged_of, chosen, fleet_of
from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.mail.published_letter import LetterError
from kafka_fleet.notify.channel_probe import probe_channel
from kafka_fleet.notify.delivery import notify_channels

EVERY = "all"


def add_notify(verb: Callable[..., argparse.ArgumentParser], day: Callable[[str], str]) -> None:
    """Add the verb. day: reads a date."""
    about = "tell the channels of the fleet file what changed of each cluster, or test them"
    told = verb("notify", notify, about, True, home=False, ds=False)
    told.add_argument("--home", metavar="H", help="folder or s3a://bucket/prefix with all stored data")
    told.add_argument("--date", type=day, metavar="D", help="the day, YYYY-MM-DD in UTC")
    told.add_argument("--cluster", action="append", default=[], metavar="ID", help="only this cluster; repeatable")
    told.add_argument("--dry-run", action="store_true", help="print what would be told, and tell nobody")
    told.add_argument(
        "--test", action="append", metavar="CHANNEL",
        help="send a test message and print what was answered; CHANNEL is a kind, a connection, both as in "
        f"slack:ID, or {EVERY}; repeatable; takes no --home and no --date",
    )  # fmt: skip


def notify(options: argparse.Namespace) -> int:
    """One line for each channel; one that fails holds no other back. 1 where one is not told."""
    needed = {"--home": options.home, "--date": options.date}
    if options.test is not None:
        given = [name for name, value in {**needed, "--dry-run": options.dry_run or None}.items() if value is not None]
        if given:
            raise UsageError(f"--test takes no {', '.join(given)}")
        return _test(chosen(fleet_of(options), options.cluster), options.test)
    if absent := [name for name, value in needed.items() if value is None]:
        raise UsageError(f"notify takes {' and '.join(absent)}; --test CHANNEL takes neither")
    fleet, acknowledged = fleet_of(options), acknowledged_of(options)
    failed = False
    for cluster in chosen(fleet, options.cluster):
        try:
            told = notify_channels(
                options.home, options.date, cluster, local_credentials(), options.dry_run, acknowledged=acknowledged
            )
        except (LetterError, OutboxError, OSError) as error:
            print(f"{cluster.id}: {error}", file=sys.stderr)
            failed = True
            continue
        for one in told:
            print(f"{cluster.id} {options.date}: {one.channel} {one.sentence}")
        failed = failed or any(one.state in ("later", "failed") for one in told)
    return 1 if failed else 0


def _test(clusters: Sequence[Cluster], wanted: Sequence[str]) -> int:
    """Each channel that is meant once, although several clusters have it. Raises UsageError for one that is none."""
    known: dict[str, tuple[Channel, Cluster]] = {}
    for cluster in clusters:
        for channel in cluster.notify:
            known.setdefault(channel.name, (channel, cluster))
    names = {name: {name, one.via, one.connection, EVERY} for name, (one, _cluster) in known.items()}
    if unknown := [one for one in wanted if not any(one in spelled for spelled in names.values())]:
        raise UsageError(f"no channel {', '.join(unknown)}; there are: {', '.join(known) or 'none'}")
    works = True
    for name, (channel, cluster) in known.items():
        if names[name].intersection(wanted):
            found = probe_channel(channel, cluster, local_credentials())
            print(f"{cluster.id}: {name}: {found.sentence}", flush=True)
            works = works and found.works
    return 0 if works else 1
