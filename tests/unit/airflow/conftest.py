"""The DAG files without a run: Airflow's library alone."""

import pytest

from support.airflow_runs.dag_files import bag, fleet_home, python
from support.marks import marked

pytest_collection_modifyitems = marked(__file__, pytest.mark.xdist_group("dags"))
