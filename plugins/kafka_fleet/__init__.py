"""Kafka Fleet Health: the library. It imports neither Airflow nor Spark."""

__version__ = "0.1.0"
