"""Every ten minutes: the fleet file goes in, one landed sweep per cluster comes out; a dead cluster is red, alone."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from airflow.sdk import CronTriggerTimetable, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from fleet_airflow import metrics
from fleet_airflow.assets import RAW, note_event
from fleet_airflow.deadline import look_after_letters
from fleet_airflow.hooks import airflow_credentials
from fleet_airflow.settings import LABEL, SWEEP_RETRY_DELAY, SWEEP_TIMEOUT, batches, fleet, home, say_why

if TYPE_CHECKING:
    from kafka_fleet.collect.sweep_result import SweepResult
    from kafka_fleet.config.fleet import Cluster

log = logging.getLogger(__name__)
INVALID = " (invalid entry)"  # marks the mapped index of an entry that cannot be run; no cluster id has a blank


class Unlanded(NamedTuple):
    """A sweep that could not be stored."""

    sentence: str

    def summary(self) -> str:
        """One line for the log."""
        return self.sentence


def refusal(label: str, invalid: Mapping[str, str]) -> str:
    """Why an entry is not run."""
    if label.endswith(INVALID):
        name = label.removesuffix(INVALID)
        return f"{name}: {invalid.get(name, 'the entry was changed meanwhile')}"
    return f"{label}: was taken out of the fleet file, or broken, since this run began"


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
        "retry_delay": SWEEP_RETRY_DELAY,
        "execution_timeout": SWEEP_TIMEOUT,
        "on_failure_callback": say_why,
    },
    tags=["kafka", "fleet", "collect"],
    doc_md="""
### Measure the fleet
One mapped task per entry of the fleet file (`KAFKA_FLEET_FILE`), one for several neighbours when there are more than
100. Each cluster's sweep lands below `KAFKA_FLEET_HOME` (default `/var/lib/kafka-fleet`).

* **Red `collect`**: that cluster gave nothing at all, or its entry is invalid; the log ends in the reason. The
  others go on, and the cluster's letter says that data is missing. The next run tries again by itself.
* **Green with gaps**: some brokers or beans did not answer. The log lists them, and so does the letter.
* **Red `letters_due`**: letters are late and the platform's owners could not be told of it; the next run tries again.
* A backfill is refused: measurements cannot be taken again. Backfill `fleet_health` instead.
""",
)
def fleet_collect() -> None:
    """Entries of the fleet file, then one sweep for each."""

    @task
    def entries() -> list[list[str]]:
        """Cluster ids in file order, then a label for every entry that cannot be run; one list per mapped task."""
        loaded = fleet()
        for error in loaded.errors:
            log.warning("%s", error)
        labels = [cluster.id for cluster in loaded.clusters] + [f"{label}{INVALID}" for label in loaded.invalid]
        if not labels:
            raise AirflowFailException("; ".join(map(str, loaded.errors)) or "the fleet file has no entries")
        return batches(labels)

    @task(map_index_template=LABEL, max_active_tis_per_dagrun=16, outlets=[RAW])
    def collect(clusters: list[str]) -> None:
        """One sweep of each cluster; lands and logs every result before it raises a failure."""
        from kafka_fleet.base import parallel
        from kafka_fleet.collect.sweep import sweep_cluster
        from kafka_fleet.store.knowledge_packs import use_for_sweeps

        loaded, folder = fleet(), home()
        if doubt := use_for_sweeps(folder):
            log.warning("%s", doubt)
        known = {cluster.id: cluster for cluster in loaded.clusters}
        lost = [refusal(name, loaded.invalid) for name in clusters if name not in known]
        broken: list[str] = []  # the platform's own trouble, such as a full disk: worth another try

        def sweep(cluster: "Cluster") -> "SweepResult | Unlanded":
            try:
                return sweep_cluster(cluster, folder, airflow_credentials)
            except Exception as error:  # log one cluster's failure; the other clusters still get their sweep
                log.exception("%s: its sweep could not be landed", cluster.id)
                return Unlanded(f"{cluster.id}: {error}")

        wanted = [known[name] for name in clusters if name in known]
        for result in parallel.run_in_parallel(wanted, lambda one: one.id, sweep, parallel.PARALLEL, log.info):
            if isinstance(result, Unlanded):
                broken.append(result.sentence)
                continue
            metrics.sweep(result)
            if result.all_failed:
                lost.append(f"nothing was measured of {result.summary()}")
        if broken:
            raise AirflowException("; ".join(broken + lost))
        if lost:
            raise AirflowFailException("; ".join(lost))
        note_event(get_current_context(), [RAW], clusters=clusters)

    @task
    def letters_due() -> None:
        """Notify the platform owners when the last day's letters are late, also when fleet_health is paused."""
        look_after_letters()

    collect.expand(clusters=entries())
    letters_due()


DAG = fleet_collect()
