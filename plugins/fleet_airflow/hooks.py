"""Airflow's connections as the collector takes them: takes a connection id, gives credentials, which nobody logs.

Any connection type will do whose login, password and extra hold what is asked for, such as `kafka` and `http` of
Airflow's own providers. The types that these hooks name have a form with the fields that are read, and are there
without another provider.
"""

from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

if TYPE_CHECKING:
    from kafka_fleet.config.credentials import Connection, Credentials


def airflow_credentials(conn_id: str) -> "Connection":
    """What a connection holds. Raises CredentialsError where there is none of that name."""
    from kafka_fleet.config.credentials import Connection, CredentialsError

    try:
        found = BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise CredentialsError(f"connection {conn_id}: Airflow has none of that name") from None
    return Connection(found.login, found.password, found.extra_dejson, found.host, found.port, found.schema)


class _FleetHook(BaseHook):
    """A connection by its id; the two below say what is read of it."""

    conn_name_attr = "conn_id"
    default_conn_name: str

    def __init__(self, conn_id: str | None = None) -> None:
        super().__init__()
        self.conn_id = conn_id or self.default_conn_name


class FleetKafkaHook(_FleetHook):
    """The Kafka user of a cluster: `kafka_connection` of the fleet file."""

    default_conn_name = "kafka_fleet_kafka_default"
    conn_type = "kafka_fleet_kafka"
    hook_name = "Kafka Fleet: Kafka user"

    def get_conn(self) -> dict[str, Any]:
        """Settings of the admin client. Raises CredentialsError for a setting that cannot be used."""
        from kafka_fleet.config.credentials import kafka_settings

        return kafka_settings(self.conn_id, airflow_credentials)


class FleetHttpHook(_FleetHook):
    """Who may read an HTTP endpoint: `connection` of `jolokia`, `metrics`, `log_marks`, `client_metrics`."""

    default_conn_name = "kafka_fleet_http_default"
    conn_type = "kafka_fleet_http"
    hook_name = "Kafka Fleet: Jolokia, metrics endpoint, Loki"

    def get_conn(self) -> "Credentials":
        """Basic auth, CA file and client certificate. Raises CredentialsError for a file that is not there."""
        from kafka_fleet.config.credentials import http_credentials

        return http_credentials(self.conn_id, airflow_credentials)
