"""The Fleet Health page inside Airflow's UI: the library's app behind Airflow's own login."""

from pathlib import Path

from airflow.api_fastapi.auth.managers.models.resource_details import AccessView, DagAccessEntity
from airflow.api_fastapi.core_api.security import GetUserDep, requires_access_dag, requires_access_view
from fastapi import Depends, FastAPI

from kafka_fleet.documents.published import Damaged
from kafka_fleet.knowledge.pack import PackError
from kafka_fleet.page.app import make_app
from kafka_fleet.settings import read_settings
from kafka_fleet.store.bucket import open_home
from kafka_fleet.store.knowledge_packs import use_chosen


def home() -> Path:
    """Where the jobs publish. What is known is shown by the pack that is used there."""
    found = open_home(read_settings("home").home)
    try:
        use_chosen(found)
    except PackError as error:  # said on the page, as of a document that is damaged
        raise Damaged(str(error)) from error
    return found


def fleet_file() -> Path | None:
    """The fleet file, where this server has it; acknowledgements are kept beside it."""
    found = read_settings("file").file
    return Path(found) if found else None


def user(logged_in: GetUserDep) -> str:
    """Who is logged in, as an acknowledgement keeps it."""
    return f"Airflow user {logged_in.get_name()}"


GUARD = [Depends(requires_access_view(AccessView.PLUGINS))]
EDITORS = [Depends(requires_access_dag("POST", DagAccessEntity.RUN, param_dag_id="fleet_health"))]  # who may judge days


def page_app() -> FastAPI:
    """The page, for whoever may view plugins; acknowledging is for whoever may trigger fleet_health."""
    return make_app(home, GUARD, fleet_file, EDITORS, Depends(user))
