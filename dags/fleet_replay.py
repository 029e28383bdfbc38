"""On demand: stored days are judged by today's rules. The DAG is in plugins/fleet_airflow/dags/fleet_replay.py."""

from kafka_fleet.airflow import fleet_replay

__all__ = ["fleet_replay"]
