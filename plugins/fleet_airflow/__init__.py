"""What the DAGs and the plugins use of Airflow. The only package that needs Airflow; kafka_fleet.notify imports hooks."""
