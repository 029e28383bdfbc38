"""Whether a channel works, before the first incident: takes channel and resolver, checks it or sends a test message.

Neither reads nor writes a home: the outbox knows nothing of a test, and what is due stays due.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import uuid4

from kafka_fleet.config.channel_providers import require_provider
from kafka_fleet.config.channels import Channel, JiraProject
from kafka_fleet.config.credentials import CredentialsError, Resolver
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.notify.addresses import connection_of
from kafka_fleet.notify.jira_client import JiraError, jira_client
from kafka_fleet.notify.jira_issues import MOVING, TELLING, require_permissions
from kafka_fleet.notify.message import Action, Event, Message
from kafka_fleet.notify.outcome import Outcome
from kafka_fleet.notify.sending import sender
from kafka_fleet.report.finding_addresses import cluster_url, page_url

FINDING = "TEST"  # what a test message names instead of a finding


class Probed(NamedTuple):
    """What came of a test. works: the channel took it. sentence: what was answered, without a secret."""

    works: bool
    sentence: str


def check_channel(channel: Channel, resolver: Resolver) -> None:
    """Build what would tell the channel; contacts nobody. Raises CredentialsError.

    Of a provider that is absent it says nothing: `connection_problems` says that once for each kind.
    """
    connection, ca_file = connection_of(channel, resolver)
    try:
        require_provider(channel.via)
    except CredentialsError:
        return
    if channel.jira:
        jira_client(channel, connection, ca_file)
    else:
        sender(channel, connection, ca_file, _message("", channel, ("open",), ""), "", again=False)


def probe_channel(channel: Channel, cluster: Cluster, resolver: Resolver) -> Probed:
    """Send one harmless message, or to PagerDuty an event and its end; of Jira only ask what the account may do.

    Raises UsageError where KAFKA_FLEET_PAGE_URL is no address.
    """
    url = cluster_url(page_url(), cluster.id)
    try:
        if channel.jira:
            return _ask_jira(channel, channel.jira, resolver)
        if channel.via != "pagerduty":
            outcome = _tell(channel, cluster, resolver, url)
            return Probed(outcome.verdict == "sent", outcome.reason)
        opened = _tell(channel, cluster, resolver, url, "open")
        if opened.verdict not in ("sent", "unknown"):
            return Probed(False, f"trigger: {opened.reason}")
        closed = _tell(channel, cluster, resolver, url, "close")
    except CredentialsError as error:
        return Probed(False, str(error))
    sentence = f"trigger: {opened.reason}; resolve: {closed.reason}"
    if closed.verdict != "sent":
        sentence += "; the incident may still be open: resolve it by hand"
    return Probed(opened.verdict == closed.verdict == "sent", sentence)


def _tell(channel: Channel, cluster: Cluster, resolver: Resolver, url: str, *actions: Action) -> Outcome:
    connection, ca_file = connection_of(channel, resolver)
    message = _message(cluster.id, channel, actions, url, cluster.environment)
    return sender(channel, connection, ca_file, message, f"<test.{uuid4().hex}@channels>", again=False).send()


def _ask_jira(channel: Channel, project: JiraProject, resolver: Resolver) -> Probed:
    client = jira_client(channel, *connection_of(channel, resolver))
    try:
        require_permissions(client, project, (*TELLING, MOVING) if project.done or project.reopen else TELLING)
    except JiraError as error:
        return Probed(False, str(error))
    return Probed(True, f"Jira answered: the account has what it needs in {project.project}; no issue is opened")


def _message(
    cluster: str, channel: Channel, actions: Sequence[Action], url: str, environment: str | None = None
) -> Message:
    """Says that it is a test. Its events have the same fingerprint each time, so that a later test ends an earlier."""
    title = f"Test of the channel {channel.name}"
    text = f"{title}, by kafka-fleet notify --test. It says nothing about {cluster}. There is nothing to do.\n"
    key = hashlib.sha256("\0".join(["test", cluster, channel.name]).encode()).hexdigest()[:32]
    events = tuple(Event(key, one, FINDING, title, None, "unknown", "info", url) for one in actions)
    day = datetime.now(UTC).date().isoformat()
    return Message(cluster, environment or "", day, f"{cluster}: {title}", text, url, events)
