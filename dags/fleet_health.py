"""Every day: the stored day is judged, letters go out. The DAG is in plugins/fleet_airflow/dags/fleet_health.py."""

from kafka_fleet.airflow import fleet_health

__all__ = ["fleet_health"]
