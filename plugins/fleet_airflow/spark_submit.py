"""spark-submit from a task: on a cluster the code and the SQL go along, and the home's credentials, seen by nobody."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

from fleet_airflow.page_link import FleetPageLink
from fleet_airflow.settings import take_credentials

CONNECTION = "spark_default"


class FleetSparkSubmit(SparkSubmitOperator):
    """The operator with what is known only when it runs, and so is in none of the fields that Airflow stores."""

    operator_extra_links = (FleetPageLink(),)

    def execute(self, context: Any) -> None:
        """Run the job. Spark's driver reads the credentials from its environment and hands them to its executors.

        The operator's own `env_vars` would not do: on YARN and Kubernetes it writes them on the command line.
        """
        from kafka_fleet.base.spark_bundle import write_bundle

        master = "yarn"  # what the operator takes when there is no such connection
        with suppress(AirflowNotFoundException):
            master = BaseHook.get_connection(CONNECTION).host or master
        with TemporaryDirectory(prefix="kafka-fleet-") as folder:
            if not master.startswith("local"):
                self.py_files = str(write_bundle(Path(folder)))
            take_credentials()
            super().execute(context)
