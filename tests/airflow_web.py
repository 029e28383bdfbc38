"""A running Airflow as a browser sees it: takes an AirflowHome, logs in, and looks at the Fleet Health page."""

from typing import Any, NamedTuple
from urllib.parse import quote

import requests

from airflow_home import AirflowHome

COOKIE = "_token"
PAGES = ("", "?day=2026-11-09", "page.css", "clusters/follower331", "letters/2026-11-09/follower331", "nowhere")


class Visit(NamedTuple):
    """Status per page of a stranger, and status and text per page of a user; what Airflow knows of the plugin."""

    stranger: dict[str, int]
    user: dict[str, tuple[int, str]]
    views: list[str]
    faults: int
    links: dict[str, str]


def _address(airflow: AirflowHome) -> str:
    return f"http://127.0.0.1:{airflow.api_port}"


def _log_in(airflow: AirflowHome) -> str:
    """A token of the first user."""
    (found,) = airflow.passwords.items()
    login = dict(zip(("username", "password"), found, strict=True))
    answer = requests.post(f"{_address(airflow)}/auth/token", json=login, timeout=60)
    answer.raise_for_status()
    token: str = answer.json()["access_token"]
    return token


def backfill_by_rest(airflow: AirflowHome, days: list[str], conf: dict[str, Any]) -> int:
    """Ask the API for a backfill of days that ran already, as the UI does: the last day first, three at a time."""
    body = {
        "dag_id": "fleet_health", "from_date": f"{days[0]}T00:00:00Z", "to_date": f"{days[-1]}T00:00:00Z",
        "run_backwards": True, "max_active_runs": 3, "reprocess_behavior": "completed", "dag_run_conf": conf,
    }  # fmt: skip
    token = {"Authorization": f"Bearer {_log_in(airflow)}"}
    answer = requests.post(f"{_address(airflow)}/api/v2/backfills", json=body, headers=token, timeout=60)
    assert answer.status_code == 200, answer.text[:500]
    number: int = answer.json()["id"]
    return number


def visit(airflow: AirflowHome, run_id: str) -> Visit:
    """Look at every page without and with a login; and at the extra links of the run's task `judge`."""
    base, token = _address(airflow), _log_in(airflow)

    def api(path: str) -> Any:
        got = requests.get(f"{base}/api/v2/{path}", headers={"Authorization": f"Bearer {token}"}, timeout=60)
        got.raise_for_status()
        return got.json()

    def page(path: str, **more: Any) -> requests.Response:
        return requests.get(f"{base}/fleet-health/{path}", timeout=60, **more)

    seen = {path: page(path, cookies={COOKIE: token}) for path in PAGES}
    views = [view["name"] for plugin in api("plugins")["plugins"] for view in plugin["external_views"]]
    return Visit(
        {path: page(path).status_code for path in PAGES},
        {path: (answer.status_code, answer.text) for path, answer in seen.items()},
        views,
        api("plugins/importErrors")["total_entries"],
        api(f"dags/fleet_health/dagRuns/{quote(run_id, safe='')}/taskInstances/judge/links")["extra_links"],
    )
