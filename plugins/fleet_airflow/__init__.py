"""What the DAGs and the plugins use of Airflow, which only this package needs; kafka_fleet.notify imports hooks."""
