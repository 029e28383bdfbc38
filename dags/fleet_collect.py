"""Every ten minutes: the fleet file goes in, one landed sweep per cluster comes out; a dead cluster is red, alone."""

import logging
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook, CronTriggerTimetable, dag, task
from airflow.sdk.exceptions import AirflowFailException, AirflowNotFoundException

if TYPE_CHECKING:
    from kafka_fleet.credentials import Connection
    from kafka_fleet.inventory import Fleet

log = logging.getLogger(__name__)
INVALID = " (invalid entry)"  # marks the mapped index of an entry that cannot be run; no cluster id has a blank


def fleet() -> "Fleet":
    """The fleet file as it is now. An unparsable one, or one without entries, fails the task with its sentence."""
    from kafka_fleet.fleet_yaml import FleetFileError
    from kafka_fleet.inventory import load_fleet

    path = os.environ.get("KAFKA_FLEET_FILE")
    if not path:
        raise AirflowFailException("KAFKA_FLEET_FILE is not set: it names the fleet file")
    try:
        return load_fleet(path)
    except FleetFileError as error:
        raise AirflowFailException(str(error)) from error


def airflow_credentials(conn_id: str) -> "Connection":
    """What an Airflow connection holds, for the sweep only: never returned by a task, never logged."""
    from kafka_fleet.credentials import Connection, CredentialsError

    try:
        found = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise CredentialsError(f"connection {conn_id}: Airflow has none of that name") from None
    return Connection(found.login, found.password, found.extra_dejson)


def say_why(context: Mapping[str, Any]) -> None:
    """Failure callback: one line that names the cluster, so that a search through the logs finds it."""
    instance = context["task_instance"]
    log.error("%s [map index %s]: %s", instance.task_id, instance.map_index, context.get("exception"))


@dag(
    dag_id="fleet_collect",
    description="Takes one measurement of every Kafka cluster of the fleet file",
    schedule=CronTriggerTimetable("*/10 * * * *", timezone="UTC"),
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    allowed_run_types=["scheduled", "manual"],  # yesterday's counters are gone: there is nothing to backfill
    default_args={
        "owner": "kafka-platform",
        "retries": 1,
        "retry_delay": timedelta(seconds=30),
        "execution_timeout": timedelta(minutes=9),  # a sweep has its own deadline; the next tick must find no rival
        "on_failure_callback": say_why,
    },
    tags=["kafka", "fleet", "collect"],
    doc_md="""
### Measure the fleet
One mapped task per entry of the fleet file (`KAFKA_FLEET_FILE`). Each lands one sweep below `KAFKA_FLEET_HOME`
(default `/var/lib/kafka-fleet`).

* **Red `collect`**: that cluster gave nothing at all, or its entry is invalid; the log ends in the reason. The
  others go on, and the cluster's letter says that data is missing. The next run tries again by itself.
* **Green with gaps**: some brokers or beans did not answer. The log lists them, and so does the letter.
* A backfill is refused: measurements cannot be taken again. Backfill `fleet_health` instead.
* More than 1,024 clusters: raise `AIRFLOW__CORE__MAX_MAP_LENGTH`.
""",
)
def fleet_collect() -> None:
    """Entries of the fleet file, then one sweep for each."""

    @task
    def entries() -> list[str]:
        """Cluster ids in file order, then a label for every entry that cannot be run."""
        loaded = fleet()
        for error in loaded.errors:
            log.warning("%s", error)
        labels = [cluster.id for cluster in loaded.clusters] + [f"{label}{INVALID}" for label in loaded.invalid]
        if not labels:
            raise AirflowFailException("; ".join(map(str, loaded.errors)) or "the fleet file has no entries")
        return labels

    @task(map_index_template="{{ task.op_kwargs['entry'] }}", max_active_tis_per_dagrun=16)
    def collect(entry: str) -> None:
        """One sweep of one cluster; what could be had is landed before a failure is raised."""
        from kafka_fleet.collect.sweep import sweep_cluster

        loaded = fleet()
        if entry.endswith(INVALID):
            label = entry.removesuffix(INVALID)
            raise AirflowFailException(f"{label}: {loaded.invalid.get(label, 'the entry was changed meanwhile')}")
        cluster = next((cluster for cluster in loaded.clusters if cluster.id == entry), None)
        if cluster is None:
            raise AirflowFailException(f"{entry}: was taken out of the fleet file, or broken, since this run began")
        home = Path(os.environ.get("KAFKA_FLEET_HOME", "/var/lib/kafka-fleet"))
        result = sweep_cluster(cluster, home, airflow_credentials)
        log.info("%s", result.summary())
        if result.all_failed:
            raise AirflowFailException(f"nothing was measured of {result.summary()}")

    collect.expand(entry=entries())


fleet_collect()
