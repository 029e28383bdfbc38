"""Tests of one module or a few: no JVM, no browser, no broker, no container."""

import pytest

from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.unit)
