"""The Fleet Health page as a plugin of Airflow."""

from typing import Any, ClassVar

from airflow.plugins_manager import AirflowPlugin

from fleet_airflow.page import page_app
from fleet_airflow.page_link import PREFIX, ROUTE, FleetPageLink


class FleetHealth(AirflowPlugin):
    """One page in the navigation, and a link to it from the task that judges."""

    name = "fleet_health"
    fastapi_apps: ClassVar[list[Any]] = [
        {
            "app": page_app(),
            "url_prefix": PREFIX,
            "name": "Kafka Fleet Health",
        }
    ]
    external_views: ClassVar[list[Any]] = [
        {"name": "Fleet Health", "href": f"{PREFIX.lstrip('/')}/", "url_route": ROUTE, "destination": "nav"}
    ]
    operator_extra_links: ClassVar[list[Any]] = [FleetPageLink()]
