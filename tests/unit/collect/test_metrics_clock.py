"""The clock of a metrics endpoint, as its header `Date` has it."""

import pytest

from kafka_fleet.collect.metrics.clock import date_of


def test_the_header_is_in_seconds() -> None:
    assert date_of({"date": "Thu, 26 Nov 2026 12:00:00 GMT"}) == 1_795_694_400.0


@pytest.mark.parametrize(
    "date",
    [
        "",
        "yesterday",
        "Mon, 01 Jan 99999999999 00:00:00 GMT",
        "Thu, 26 Nov 2026 12:00:00 +9999999999999",
        "Thu, 99999999999999999999 Nov 2026 12:00:00 GMT",
        "Thu, 26 Nov 2026 99999999999999999999:00:00 GMT",
    ],
)
def test_a_header_that_is_no_date_costs_nobody_a_sweep(date: str) -> None:
    assert date_of({"date": date}) is None
