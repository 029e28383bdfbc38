"""`kafka-fleet notify`: tells the channels of the fleet file what changed of each cluster on a day."""

import argparse
import sys

from kafka_fleet.cli.fleet import acknowledged_of, chosen, fleet_of
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.mail.published_letter import LetterError
from kafka_fleet.notify.delivery import notify_channels


def notify(options: argparse.Namespace) -> int:
    """One line for each channel; one that fails holds no other back. 1 where one is not told."""
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
