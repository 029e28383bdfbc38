"""The DAGs; `kafka_fleet.airflow` hands them to a file in a dags folder."""
