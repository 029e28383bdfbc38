"""`kafka-fleet late`: takes its parsed options, says whether a day's letters are out, notifies the platform owners.

It needs the home and a mail server and nothing of Airflow, so that it can watch Airflow from outside.
"""

import argparse
import sys
from datetime import UTC, datetime

from kafka_fleet.base.errors import UsageError
from kafka_fleet.mail.deadline import HOURS, day_due, deadline_hours
from kafka_fleet.mail.lateness import lateness
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.mail.owner_alerts import OWNERS, alert_owners, not_addresses, platform_owners, resend_alerts
from kafka_fleet.mail.smtp_settings import SmtpSettingsError, from_environment


def late(options: argparse.Namespace) -> int:
    """0: nothing is late, or all owners are notified; 1: the letters are late and an owner is not notified."""
    hours = deadline_hours()
    now = datetime.now(UTC)
    if not hours and options.date is None:
        print(f"{HOURS} is 0: no day is ever late")
        return 0
    ds = options.date or day_due(now, hours)
    for one in not_addresses():
        print(f"{OWNERS}: {one!r} is no mail address", file=sys.stderr)
    owners = platform_owners()
    if options.mail and not owners:
        raise UsageError(f"{OWNERS} names nobody who could be told")
    try:
        smtp = from_environment() if options.mail else None
        found = lateness(options.home, ds)
        results = []
        if found is None:
            print(f"{ds}: nothing is late")
        else:
            print(found.sentence)
            if smtp is not None:
                results.append(alert_owners(options.home, ds, "late", found.sentence, [], owners, smtp, found.reason))
        if smtp is not None:
            results += resend_alerts(options.home, now.date(), smtp)
    except SmtpSettingsError as error:
        raise UsageError(str(error)) from error
    except OutboxError as error:
        print(f"kafka-fleet: {error}", file=sys.stderr)
        return 1
    for result in results:
        print(result.summary())
    failed = any(not result.ok for result in results)
    return 1 if failed or (found is not None and smtp is None) else 0
