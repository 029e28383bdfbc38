"""Findings told to a Jira: the finding of the tests, its label, one telling, and those of three quiet days."""

from datetime import timedelta
from pathlib import Path

from kafka_fleet.config.credentials import Connection
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import fingerprint
from kafka_fleet.notify.delivery import Notified, notify_channels
from support.builders.channels import NOON, SECRET, cluster
from support.builders.mailed_days import CLUSTER, DAY, confirmed, later, quiet, write
from support.servers.jira_server import Jira

BUG = fingerprint(CLUSTER, Finding.model_validate(confirmed()))
LABEL = f"kafka-fleet-{BUG}"


def told(home: Path, jira: Jira, ds: str = DAY, minutes: float = 0, level: str = "confirmed", **jira_keys) -> Notified:
    entry = {"via": "jira", "connection": "there", "at_least": level, "jira": {"project": "OPS", **jira_keys}}
    now = NOON + timedelta(minutes=minutes)
    there = Connection(jira.login, SECRET, {}, jira.url)
    (one,) = notify_channels(home, ds, cluster(entry), lambda _name: there, clock=lambda: now)
    return one


def gone(home: Path, jira: Jira, **keys) -> list[Notified]:
    """Three days that saw nothing, after the first."""
    found = []
    for days in (1, 2, 3):
        write(home, [quiet()], later(days), state="quiet")
        found.append(told(home, jira, later(days), **keys))
    return found
