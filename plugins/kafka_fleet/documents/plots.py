"""Where the plots of a judged day are: one document per cluster."""

from pathlib import Path

from kafka_fleet.store.generations import checked_day


def plots_path(home: Path, ds: str, generation: str, cluster: str) -> Path:
    """Where the judge keeps what a cluster's page draws."""
    return home / f"findings/ds={checked_day(ds)}/{generation}/plots/{cluster}.json"
