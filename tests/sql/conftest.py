"""Tests that run Spark in their own process: they share one JVM, since a warm one is twice as fast."""

import pytest

from support.generators.generated import Generated, generated
from support.marks import marked

_of_one_jvm = marked(__file__, pytest.mark.spark, pytest.mark.xdist_group("jvm"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """They share a JVM; those that read the generated fleets share the two minutes of CPU that these take."""
    _of_one_jvm(items)
    for item in items:
        if "fleets" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.sampled("oracles"))


@pytest.fixture(scope="session")
def fleets() -> Generated:
    """The first test that asks for them waits some minutes."""
    return generated()
