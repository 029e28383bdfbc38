"""`kafka-fleet tidy`: takes a home, deletes what the DAG's task `tidy` deletes after each day, by the same function."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.retain import lines
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.mail.owner_alerts import (
    KEPT_RAW,
    OWNERS,
    alert_owners,
    kept_raw_words,
    not_addresses,
    platform_owners,
)
from kafka_fleet.mail.smtp_settings import SmtpSettingsError, from_environment
from kafka_fleet.settings import read_settings
from kafka_fleet.store.raw.compaction import tidy as tidy_raw
from kafka_fleet.store.raw.retention import carry_out, plan


def tidy_home(home: Path, keep_raw_days: Callable[[], int | None], say: Callable[[str], None]) -> Mapping[str, str]:
    """Delete files of raw that no reader needs, then days that are older than is kept. Gives the old days that stay
    since they are not judged, and why.

    keep_raw_days: asked after the first step, which needs no setting. Raises OSError, and ValueError for a pointer
    that is damaged.
    """
    for line in tidy_raw(home):
        say(line)
    days = keep_raw_days()
    if days is None:
        return {}
    what = plan(home, days)
    for line in (*lines(what, home), *carry_out(home, what)):
        say(line)
    return what.unjudged


def tidy(options: argparse.Namespace) -> int:
    """0: done; 1: a platform owner was not told of old raw that stays."""
    try:
        unjudged = tidy_home(options.home, lambda: read_settings("keep_raw_days").keep_raw_days, print)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return 0 if not unjudged or _tell(options.home, unjudged) else 1


def _tell(home: Path, unjudged: Mapping[str, str]) -> bool:
    """Mail it to the platform owners, each time that a day is added. Whether all of them have it."""
    for one in not_addresses():
        print(f"{OWNERS}: {one!r} is no mail address", file=sys.stderr)
    owners = platform_owners()
    if not owners:
        print(f"{OWNERS} names nobody who could be told", file=sys.stderr)
        return True
    title, why = kept_raw_words(unjudged)
    try:
        result = alert_owners(home, max(unjudged), KEPT_RAW, title, why, owners, from_environment())
    except SmtpSettingsError as error:
        raise UsageError(str(error)) from error
    except OutboxError as error:
        print(f"kafka-fleet: {error}", file=sys.stderr)
        return False
    print(result.summary())
    return result.ok
