"""A running Airflow as a browser sees it: takes an AirflowHome, logs in, and looks at the Fleet Health page."""

from typing import Any, NamedTuple
from urllib.parse import quote

import requests

from support.airflow_runs.airflow_home import AirflowHome

COOKIE = "_token"
PAGES = ("", "?day=2026-11-09", "page.css", "clusters/follower331", "letters/2026-11-09/follower331", "nowhere")


# of Airflow's simple auth manager: who has no role may do nothing, a viewer may read, a user may trigger runs as well
ROLES = {"admin": "admin", "newcomer": "", "viewer": "viewer", "editor": "user"}
PROGRAMS = ("/api/v1/findings?verdict=confirmed", "/api/v1/openapi.json", "/metrics")
WRITES = ("acknowledgements", "acknowledgements/removal")


class Rights(NamedTuple):
    """Per user: the status of each address, and of each write with the file of acknowledgements after it.

    bearers: as reads, of users who show their token in a header, as programs do; `stranger` shows none.
    """

    reads: dict[str, dict[str, int]]
    writes: list[tuple[str, str, int, bytes | None]]
    bearers: dict[str, dict[str, tuple[int, str]]]


class Visit(NamedTuple):
    """Status per page of a stranger, and status and text per page of a user; what Airflow knows of the plugin."""

    stranger: dict[str, int]
    user: dict[str, tuple[int, str]]
    views: list[str]
    faults: int
    links: dict[str, str]


def _address(airflow: AirflowHome) -> str:
    return f"http://127.0.0.1:{airflow.api_port}"


def _log_in(airflow: AirflowHome, name: str = "") -> str:
    """A token of a user; of the first one unless named."""
    user = name or next(iter(airflow.passwords))
    login = {"username": user, "password": airflow.passwords[user]}
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
    """Look at every page without and with a login; and at the extra links of the run's task `analyze`."""
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
        api(f"dags/fleet_health/dagRuns/{quote(run_id, safe='')}/taskInstances/analyze/links")["extra_links"],
    )


def rights(airflow: AirflowHome, cluster: str, day: str, finding: str) -> Rights:
    """What users with other roles may: each reads every address, then who may not write tries it before who may."""
    base, kept = f"{_address(airflow)}/fleet-health", airflow.fleet_file.with_name("acknowledgements.yaml")
    tokens = {user: {COOKIE: _log_in(airflow, user)} for user in ROLES}
    paths = ("/", f"/?day={day}", "/page.css", f"/clusters/{cluster}", f"/letters/{day}/{cluster}")
    reads = {
        user: {path: requests.get(base + path, cookies=token, timeout=60).status_code for path in paths}
        for user, token in tokens.items()
    }
    headers = {user: {"Authorization": f"Bearer {token[COOKIE]}"} for user, token in tokens.items()} | {"stranger": {}}
    bearers = {
        user: {path: _said(requests.get(base + path, headers=header, timeout=60)) for path in PROGRAMS}
        for user, header in headers.items()
    }
    form = {"day": day, "finding": finding, "reason": "The upgrade is planned.", "owner": "oncall@example.org"}
    form["expires"] = "2026-12-31"
    writes = []
    turns = [(user, what) for what in WRITES for user in ("newcomer", "viewer", "editor")]
    for user, what in turns:
        answer = requests.post(
            f"{base}/clusters/{cluster}/{what}",
            data=form,
            headers={"Sec-Fetch-Site": "same-origin"},
            cookies=tokens[user],
            allow_redirects=False,
            timeout=60,
        )
        writes.append((user, what, answer.status_code, kept.read_bytes() if kept.exists() else None))
    return Rights(reads, writes, bearers)


def _said(answer: requests.Response) -> tuple[int, str]:
    return answer.status_code, answer.text
