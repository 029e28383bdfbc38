"""Read by Airflow when it starts (put this folder on PYTHONPATH): scheduler and triggerer open no log servers.

Those listen on every interface and no setting gives them another host. With LocalExecutor the API server reads the
logs from files, so nobody asks them; without them one machine's Airflow is reachable on loopback only.
"""

import airflow.utils.serve_logs

__all__: list[str] = []  # Airflow takes every other name as one of its settings


def no_log_server(port: int | None = None) -> None:
    """Stands in for `serve_logs`, which both commands run in a process of its own: that process ends at once."""


airflow.utils.serve_logs.serve_logs = no_log_server
