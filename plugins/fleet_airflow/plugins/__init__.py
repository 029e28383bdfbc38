"""Plugins of Airflow, by the entry points `airflow.plugins` of pyproject.toml."""
