"""The DAGs by one import: takes a name, gives the DAG; only the module of that DAG is imported.

A file in a dags folder is `from kafka_fleet.airflow import fleet_collect, fleet_health  # DAGs`. A DAG that cannot be
made costs the others nothing where each has a file of its own, as in `dags/` of a checkout.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airflow.sdk import DAG

    fleet_collect: DAG
    fleet_health: DAG
    fleet_replay: DAG

__all__ = ["fleet_collect", "fleet_health", "fleet_replay"]


def __getattr__(name: str) -> "DAG":
    """A DAG by its name; made when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made: DAG = import_module(f"fleet_airflow.dags.{name}").DAG
    return made
