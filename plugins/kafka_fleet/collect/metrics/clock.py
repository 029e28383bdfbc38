"""How old the values of an answer are: takes what it says of times, gives seconds.

An exporter that reads its broker at each request shows values of that moment. One that gives what it read before, or
a cache on the way, does not: the broker's uptime, samples with a time and the header Age tell.
"""

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from kafka_fleet.collect.metrics.reading import Reading


def date_of(headers: Mapping[str, str]) -> float | None:
    """The endpoint's clock, s since epoch, to whole seconds; None where it sends none."""
    try:
        date = parsedate_to_datetime(headers.get("date", ""))
        return date.replace(tzinfo=date.tzinfo or UTC).timestamp()
    except (ValueError, TypeError, OverflowError):  # a year, an hour or an offset of any length
        return None


def age_of(reading: Reading, headers: Mapping[str, str], answered: float, openmetrics: bool) -> float:
    """Seconds from when the values were read until they were sent. answered: by the endpoint's clock, s since epoch.

    openmetrics: times of samples are in seconds there, and in milliseconds elsewhere.
    """
    ages = [0.0]
    start = reading.broker.get("jvm_start_ms")
    if isinstance(start, int) and reading.uptime_ms is not None:
        ages.append(answered - (start + reading.uptime_ms) / 1000)
    if reading.oldest is not None:
        ages.append(answered - (reading.oldest if openmetrics else reading.oldest / 1000))
    age = headers.get("age", "")
    if age.isascii() and age.isdigit() and len(age) < 10:
        ages.append(float(age))
    return max(ages)
