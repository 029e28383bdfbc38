"""Tests that run Spark in their own process: they share one JVM, which computes at half the cost once it has run for long."""

import pytest

from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.spark, pytest.mark.xdist_group("jvm"))
