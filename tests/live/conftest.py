"""The one run of real clusters that all live tests read."""

import pytest

from support.live.measured import Measured, measure
from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.live, pytest.mark.xdist_group("live"))


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """A release that cannot be had, or a broker that does not start, fails the tests of its scenario: they say why."""
    return measure(tmp_path_factory.mktemp("live"))
