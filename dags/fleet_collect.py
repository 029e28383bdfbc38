"""Every ten minutes: one measurement of each cluster. The DAG is in plugins/fleet_airflow/dags/fleet_collect.py."""

from kafka_fleet.airflow import fleet_collect

__all__ = ["fleet_collect"]
