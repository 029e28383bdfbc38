"""What a folder's tests have in common: takes a conftest's file and marks, gives the hook that sets them.

Workers of pytest-xdist take whole groups (`--dist loadgroup`). A test without a group of its own is in that of its
file, so that what a file has made once is made once.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

RIGHT_OF_WAY = 5  # by so much nicer are workers whose tests nobody waits for
_nicer = False
Hook = Callable[[list[pytest.Item]], None]


def marked(conftest: str, *marks: pytest.MarkDecorator) -> Hook:
    """For `pytest_collection_modifyitems` of a folder's conftest; a mark that is nearer to a test stays."""
    folder = f"{Path(conftest).parent}/"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        for item in items:
            if str(item.path).startswith(folder):
                for mark in marks:
                    if item.get_closest_marker(mark.name) is None:
                        item.add_marker(mark)

    return pytest_collection_modifyitems


@pytest.hookimpl(tryfirst=True)  # of these the one that was registered last is called first: folders before this
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a file stay together unless a mark says more."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Real brokers have the right of way: their run takes longest, and how late they answer is measured.

    A worker of other tests, and whatever it starts, is nicer from its first test on.
    """
    global _nicer
    if "PYTEST_XDIST_WORKER" in os.environ and not _nicer and item.get_closest_marker("live") is None:
        os.nice(RIGHT_OF_WAY)
        _nicer = True
