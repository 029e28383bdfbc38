"""The one run of real clusters that the live tests read: of the scenarios that they name, and no others."""

import pytest

from support.live.measured import Measured, measure
from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.live, pytest.mark.xdist_group("live"))


@pytest.fixture(scope="session")
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """A release that cannot be had, or a broker that does not start, fails the tests of its scenario: they say why."""
    readers = [one for one in request.session.items if "measured" in getattr(one, "fixturenames", ())]
    named = {one: one.get_closest_marker("scenario") for one in readers}
    assert None not in named.values(), f"no scenario: {[one.name for one, mark in named.items() if mark is None]}"
    wanted = {name for mark in named.values() if mark is not None for name in mark.args}
    return measure(tmp_path_factory.mktemp("live"), wanted)
