"""What the DAGs take from their surroundings: the fleet file, the home, and how many clusters a mapped task has."""

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowFailException, AirflowNotFoundException

from kafka_fleet.base.resources import spark_application
from kafka_fleet.settings import read_settings

if TYPE_CHECKING:
    from kafka_fleet.config.acknowledgements import Acknowledgements
    from kafka_fleet.config.fleet import Fleet

log = logging.getLogger(__name__)
APPLICATION = spark_application()
# the JSON schema of a parameter that lists names
NAMES = {"type": ["null", "array"], "items": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$"}}
# mapped tasks of a step while the fleet allows it: each costs a process of its own and rows in the metadata
_PARSED = read_settings("mapped_tasks", "retry_seconds")
MAPPED = _PARSED.mapped_tasks
RETRY_DELAY = timedelta(seconds=_PARSED.retry_seconds)  # of a failed fleet_health task
SWEEPS_EVERY = timedelta(minutes=10)  # as fleet_collect is scheduled
SWEEP_TIMEOUT = timedelta(minutes=9)  # a sweep has its own deadline; it must end before the next tick starts another
SWEEP_RETRY_DELAY = timedelta(seconds=30)
# after midnight, for the day's last run of fleet_collect: the fleet file is read, and each sweep has two tries
LAST_SWEEP_WAIT = timedelta(minutes=1) + 2 * SWEEP_TIMEOUT + SWEEP_RETRY_DELAY
MOST = 32  # clusters of one task: two rounds of 16, each within a sweep's own deadline, fit the task's
# the label of a mapped task: its cluster, or the first and last of several
LABEL = (
    "{% set names = task.op_kwargs['clusters'] %}"
    "{{ names[0] if names | length == 1 else names[0] ~ ' … ' ~ names[-1] ~ ' (' ~ names | length ~ ')' }}"
)


def fleet() -> "Fleet":
    """The fleet file as it is now. An unparsable one fails the task with its sentence."""
    from kafka_fleet.base.yaml import FleetFileError
    from kafka_fleet.config.fleet import load_fleet

    try:
        return load_fleet(fleet_file())
    except FleetFileError as error:
        raise AirflowFailException(str(error)) from error


def fleet_file() -> str:
    """The path of the fleet file. Where it is not set the task fails with a sentence."""
    path = read_settings("file").file
    if not path:
        raise AirflowFailException("KAFKA_FLEET_FILE is not set: it names the fleet file")
    return path


def acknowledged() -> "Acknowledgements":
    """The acknowledgements beside the fleet file; what is wrong with it is in the log, and in the letters."""
    from kafka_fleet.config import acknowledgements

    found = acknowledgements.load_acknowledgements(acknowledgements.acknowledgements_path(Path(fleet_file())))
    for _cluster, fault in found.faults:
        log.warning("%s", fault)
    return found


def home() -> Path:
    """The folder, or the prefix in a bucket, with raw/, facts/, findings/, reports/ and outbox/.

    A bucket that cannot be used fails the task with its sentence; one whose server is gone is worth another try.
    """
    from kafka_fleet.base.errors import UsageError
    from kafka_fleet.store.bucket import open_home

    take_credentials()
    try:
        return open_home(home_text())
    except UsageError as error:
        raise AirflowFailException(str(error)) from error


def home_text() -> str:
    """The home as it is set."""
    return read_settings("home").home


def keep_raw_days() -> int | None:
    """How many days of raw `tidy` leaves; None, without KAFKA_FLEET_KEEP_RAW_DAYS: all of them."""
    from kafka_fleet.base.errors import UsageError

    try:
        return read_settings("keep_raw_days").keep_raw_days
    except UsageError as error:
        raise AirflowFailException(str(error)) from error


def missed_days() -> int:
    """How many days before the last one are judged after Airflow was down or fleet_health paused; 0: none.

    Two weeks are longer than any holidays; a day takes minutes, so that the newest is done on the same day.
    """
    return read_settings("missed_days").missed_days


def take_credentials() -> None:
    """Put those of a bucket into this task's environment, where its children find them, and into no field, log or XCom.

    They are the connection kafka_fleet_home's, else what the worker has: variables of its own, or its machine's role.
    """
    from kafka_fleet.store.bucket import environment_of, is_uri

    if is_uri(home_text()):
        with suppress(AirflowNotFoundException):
            found = BaseHook.get_connection("kafka_fleet_home")
            os.environ.update(environment_of(found.login, found.password, found.extra_dejson))


def batches(names: Sequence[str]) -> list[list[str]]:
    """One cluster per mapped task up to MAPPED clusters; beyond that neighbours share one, at most MOST of them."""
    size = max(1, min(MOST, -(-len(names) // MAPPED)))
    return [list(names[first : first + size]) for first in range(0, len(names), size)]


def say_why(context: Mapping[str, Any]) -> None:
    """Failure callback: one line that names the task and its place, so that a search through the logs finds it."""
    instance = context["task_instance"]
    log.error("%s [map index %s]: %s", instance.task_id, instance.map_index, context.get("exception"))
