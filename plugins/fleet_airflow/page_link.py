"""Where the Fleet Health page is, and the link that leads there from a task. Imports no web framework."""

from typing import Any
from urllib.parse import urlencode

from airflow.configuration import conf
from airflow.sdk import BaseOperatorLink

PREFIX = "/fleet-health"  # of the app in the API server
ROUTE = "fleet-health"  # of the page in Airflow's UI: /plugin/<route>


class FleetPageLink(BaseOperatorLink):
    """On the tasks that run Spark: the day that they were for, on the Fleet Health page."""

    name = "Fleet Health"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """Asked for in the worker, when the task's arguments are known. ti_key: not needed."""
        arguments = list(operator.application_args or ())
        ds = arguments[arguments.index("--ds") + 1] if "--ds" in arguments else ""
        base = conf.get("api", "base_url", fallback="") or ""
        return f"{base.rstrip('/')}{PREFIX}/?{urlencode({'day': ds})}"
