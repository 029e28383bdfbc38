"""spark-submit from a task: on a cluster the code and the SQL go along, and the home's credentials, seen by nobody."""

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

from fleet_airflow.assets import note_event
from fleet_airflow.page_link import FleetPageLink
from fleet_airflow.settings import take_credentials

CONNECTION = "spark_default"
UNDER_WAY = "under_way"  # key of the task's state store, which Airflow shows with the task instance
EVERY_S = 10.0  # between two writes of it
STAGES = ("facts of ", "judge ")  # what lines of the job begin with
log = logging.getLogger(__name__)


def watched(lines: Iterable[str], tell: Callable[[str], None]) -> Iterator[str]:
    """The lines of a job as they come; `tell` hears the first of each stage, then one each EVERY_S seconds."""
    told_stage, told_at = "", 0.0
    for line in lines:
        stage = next((stage for stage in STAGES if line.startswith(stage)), None)
        now = time.monotonic()
        if stage is not None and (stage != told_stage or now - told_at >= EVERY_S):
            told_stage, told_at = stage, now
            tell(line.strip())
        yield line


class FleetSparkSubmit(SparkSubmitOperator):
    """The operator with what is known only when it runs, and so is in none of the fields that Airflow stores."""

    operator_extra_links = (FleetPageLink(),)
    template_fields = (*SparkSubmitOperator.template_fields, "rows", "day")
    _tell: Callable[[str], None] = staticmethod(log.info)

    def __init__(self, rows: Any = None, day: Any = None, **options: Any) -> None:
        """Where OpenLineage's provider is there, what Spark reports to it has this task as its parent.

        rows: raw rows of the day; None: many. Of few a driver on this machine is started for a short life.
        day: the extra of its outlets' events.
        """
        options.setdefault("openlineage_inject_parent_job_info", find_spec("airflow.providers.openlineage") is not None)
        super().__init__(**options)
        self.rows = rows
        self.day: Mapping[str, Any] | None = day

    def execute(self, context: Any) -> None:
        """Run the job. Spark's driver reads the credentials from its environment and hands them to its executors.

        The operator's own `env_vars` would not do: on YARN and Kubernetes it writes them on the command line.
        """
        from kafka_fleet.base.driver_jvm import SMALL_DAY, driver_environment
        from kafka_fleet.base.spark_bundle import write_bundle

        master = "yarn"  # what the operator takes when there is no such connection
        with suppress(AirflowNotFoundException):
            master = BaseHook.get_connection(CONNECTION).host or master
        with TemporaryDirectory(prefix="kafka-fleet-") as folder:
            if not master.startswith("local"):
                self.py_files = str(write_bundle(Path(folder)))
            else:
                os.environ.update(driver_environment(self.rows or SMALL_DAY) | os.environ)
            take_credentials()
            self._tell = partial(_note_under_way, context)
            super().execute(context)
        note_event(context, self.outlets, **(self.day or {}))

    def _get_hook(self) -> SparkSubmitHook:
        """The hook, which hands on what the job prints."""
        hook: SparkSubmitHook = super()._get_hook()
        read = hook._process_spark_submit_log
        setattr(hook, "_process_spark_submit_log", lambda lines: read(watched(lines, self._tell)))  # noqa: B010
        return hook


def _note_under_way(context: Any, line: str) -> None:
    try:
        context["task_state_store"].set(UNDER_WAY, line)
    except Exception as error:  # what Airflow does not take costs the day nothing; the log has the line
        log.warning("what is under way could not be stored: %s", error)
