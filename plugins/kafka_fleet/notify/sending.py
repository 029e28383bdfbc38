"""A message to a channel that is no Jira: takes channel, connection and message, gives what sends it once.

A module of a provider is imported here, when it is first needed: one that is missing costs its channels alone.
"""

from kafka_fleet.config.channel_providers import require_provider
from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.bodies import pagerduty_events, slack, teams, webhook
from kafka_fleet.notify.message import Message
from kafka_fleet.notify.outcome import Sender


def sender(
    channel: Channel, connection: Connection, ca_file: str | None, message: Message, identity: str, again: bool
) -> Sender:
    """Contacts nobody. identity: of the message, the same on every try. again: an earlier try may have arrived.

    Raises CredentialsError, whose sentence holds no value of the connection.
    """
    require_provider(channel.via)
    try:
        if channel.via == "slack":
            from kafka_fleet.notify.send_slack import slack_sender

            return slack_sender(channel, connection, ca_file, slack(message, again))
        if channel.via == "pagerduty":
            from kafka_fleet.notify.send_pagerduty import pagerduty_sender

            return pagerduty_sender(channel, connection, ca_file, pagerduty_events(message))
        from kafka_fleet.notify.send_http import http_sender

        body = teams(message, again) if channel.via == "teams" else webhook(message, identity, again)
        return http_sender(channel, connection, ca_file, body)
    except ImportError as error:
        raise unusable_provider(channel, error) from error


def unusable_provider(channel: Channel, error: ImportError) -> CredentialsError:
    """Of a provider that is there and cannot be imported, such as one without a library of its own."""
    return CredentialsError(f"via {channel.via}: its provider cannot be imported: {error}")
