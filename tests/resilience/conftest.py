"""What is left by kills, broken disks, wrong clocks and hostile input."""

import pytest

from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.resilience)
