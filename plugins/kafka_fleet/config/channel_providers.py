"""Airflow's providers by which channels are told: takes a kind of channel, says what is to be installed for it."""

from importlib.metadata import PackageNotFoundError, distribution

from kafka_fleet.config.credentials import CredentialsError

_PACKAGES = {"webhook": "http", "teams": "http", "slack": "slack", "pagerduty": "pagerduty", "jira": "atlassian-jira"}
_EXTRAS = ("slack", "pagerduty", "jira")  # of this package; it always brings the provider `http`


def require_provider(via: str) -> None:
    """Raises CredentialsError, a sentence with the package to install. Imports nothing."""
    package = f"apache-airflow-providers-{_PACKAGES[via]}"
    try:
        distribution(package)
    except PackageNotFoundError:
        wanted = f"'kafka-fleet-health[{via}]'" if via in _EXTRAS else package
        raise CredentialsError(
            f"via {via} takes the package {package}, which is not installed: pip install {wanted}"
        ) from None
