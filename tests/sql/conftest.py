"""Tests that run Spark in their own process: they share one JVM, since a warm one is twice as fast."""

import pytest

from support.generators.generated import Generated, generated
from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.spark, pytest.mark.xdist_group("jvm"))


@pytest.fixture(scope="session")
def fleets() -> Generated:
    """The first test that asks for them waits some minutes."""
    return generated()
