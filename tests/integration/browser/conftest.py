"""Pages in a headless Chromium."""

import pytest

from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.browser)
