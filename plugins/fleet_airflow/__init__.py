"""What the DAGs and the plugins use of Airflow. The only package that imports Airflow."""
