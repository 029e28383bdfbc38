"""A cluster's other channels from a task: takes the run's plan, tells them what the outbox says is due."""

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from airflow.sdk.exceptions import AirflowFailException

from fleet_airflow.hooks import airflow_credentials
from fleet_airflow.settings import acknowledged, fleet, home

log = logging.getLogger(__name__)
_STATES = {"sent": "sent", "already": "skipped", "nothing": "skipped", "later": "later", "failed": "failed"}


class Outcome(NamedTuple):
    """What came of one mail or channel. state: sent | skipped | later (another try may do) | failed."""

    state: str
    sentence: str


def notify_one(cluster: str, plan: Mapping[str, Any], why_not: str) -> list[Outcome]:
    """Tell each channel of a cluster, as the fleet file has them now; none where it has none.

    why_not: why this run tells nobody, or empty.
    """
    from kafka_fleet.mail.published_letter import LetterError
    from kafka_fleet.notify.delivery import notify_channels

    try:
        entry = next((one for one in fleet().clusters if one.id == cluster), None)
    except AirflowFailException:
        return []  # the letter's outcome says what is wrong with the fleet file
    if entry is None or not entry.notify or cluster not in plan["clusters"]:
        return []
    if why_not:
        return [Outcome("skipped", why_not)]
    beside = {"generation": plan["generation"], "acknowledged": acknowledged()}
    try:
        told = notify_channels(home(), plan["ds"], entry, airflow_credentials, **beside)
    except LetterError as error:
        found = [Outcome("failed", f"{cluster}: its channels: {error}")]
    except Exception as error:  # such as a full disk: it must not cost the neighbours their letters
        log.exception("%s: its channels could not be told", cluster)
        found = [Outcome("later", f"{cluster}: its channels: {error}")]
    else:
        found = [Outcome(_STATES[one.state], f"{cluster}: {one.channel} {one.sentence}") for one in told]
    for one in found:
        log.info("%s", one.sentence)
    return found
