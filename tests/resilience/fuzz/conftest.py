"""How many inputs a fuzz test had, for the report of a long run (`--junitxml`)."""

from collections.abc import Callable, Iterator

import pytest

from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.fuzz, pytest.mark.xdist_group("fuzz"))


@pytest.fixture
def counted(record_property: Callable[[str, object], None]) -> Iterator[Callable[[], None]]:
    """Called once per input."""
    number = 0

    def one() -> None:
        nonlocal number
        number += 1

    yield one
    record_property("inputs", number)
    assert number, "no input was tried"
