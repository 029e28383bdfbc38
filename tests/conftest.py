"""What several test files read: the random fleets, made and analysed once per run."""

import pytest

from generated import SEED, Generated, generated


def pytest_report_header() -> str:
    """How to have the same fleets again."""
    return f"FLEET_SEED={SEED}"


@pytest.fixture(scope="session")
def fleets() -> Generated:
    """The first test that asks for them waits some minutes."""
    return generated()
