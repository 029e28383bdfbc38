"""What several test files read, made once per run; and which files share a worker when the run has several."""

import pytest

from generated import SEED, Generated, generated


def pytest_report_header() -> str:
    """How to have the same fleets again."""
    return f"FLEET_SEED={SEED}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests stay together, and so do the files that read the same analysis, which takes minutes to make."""
    for item in items:
        path = item.path
        group = path.stem
        if path.parent.name == "live":
            group = "live"
        elif "fleets" in getattr(item, "fixturenames", ()):
            group = "generated"
        elif "analysed" in vars(item.module):  # type: ignore[attr-defined]
            group = "analysed"
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def fleets() -> Generated:
    """The first test that asks for them waits some minutes."""
    return generated()
