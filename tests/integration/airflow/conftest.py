"""Real Airflow: its own home, its database, its processes."""

import pytest

from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.airflow)
