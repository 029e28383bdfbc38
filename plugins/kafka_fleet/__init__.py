"""Kafka Fleet Health: the library. It imports neither Airflow nor Spark."""

from kafka_fleet.base.memory import bound_memory
from kafka_fleet.base.version import __version__

__all__ = ["__version__"]
bound_memory()
