"""The wheel: built once, and installed where no checkout is known."""

from pathlib import Path

import pytest

from support.marks import marked
from support.wheel.installed import Installed, build_wheel

pytest_collection_modifyitems = marked(__file__, pytest.mark.xdist_group("wheel"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """It beside the packages of the tests."""
    made = Installed(tmp_path_factory.mktemp("installed"))
    made.borrow()
    made.pip("install", "--no-deps", "--no-index", str(wheel))
    return made
