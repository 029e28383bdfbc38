"""Tests with programs beside them: Airflow, a bucket, a Spark cluster, a browser, what containers run, TLS."""

import pytest

from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.integration)
