"""A running Airflow in a real browser: takes an AirflowHome and a judged day, logs in, opens Fleet Health in its UI."""

from typing import NamedTuple
from urllib.parse import quote

from playwright.sync_api import Page

from support.airflow_runs.airflow_home import AirflowHome
from support.browser.browser import PHONE, chromium, overflow, tab, violations, watched


class Look(NamedTuple):
    """What a stranger and a user saw. complaints: those about the page's own addresses; hosts: of every request."""

    stranger: int
    login: str
    headline: str
    framed: list[str]
    reached: str
    letter: str
    run: str
    hosts: set[str | None]
    complaints: list[str]
    axe: dict[str, dict[str, list[str]]]
    overflow: int


def _log_in(page: Page, airflow: AirflowHome) -> None:
    found = next(iter(airflow.passwords.items()))
    for field, value in zip(("username", "password"), found, strict=True):
        page.locator(f"input[name={field}]").fill(value)
    page.keyboard.press("Enter")


def look_inside(airflow: AirflowHome, day: str, cluster: str) -> Look:
    """Open the page without a login, log in, open it from Airflow's navigation, walk into it and back to the run."""
    base = f"http://127.0.0.1:{airflow.api_port}"
    with chromium() as browser, watched(browser) as seen:
        page = seen.page
        refused = page.goto(f"{base}/fleet-health/")
        page.goto(f"{base}/plugin/fleet-health")
        page.wait_for_url("**/auth/login**")
        login = page.url
        _log_in(page, airflow)
        page.wait_for_url(lambda url: "/login" not in url)
        page.goto(f"{base}/plugin/fleet-health")
        frame = page.frame_locator("iframe")
        headline = frame.locator("h1").inner_text()
        framed = [one.url for one in page.frames[1:]]
        frame.locator("select[name=day]").select_option(day)
        frame.get_by_role("button", name="Show").press("Enter")
        page.frames[1].wait_for_url(f"**/fleet-health/?day={day}*")
        reached = ""
        for _ in range(80):
            tab(page)
            inside = page.frames[1].evaluate("document.activeElement.textContent.trim()")
            if inside == "Skip to the content":
                reached = inside
                break
        table = frame.get_by_role("region", name="Clusters and symptoms")
        table.get_by_role("link", name=cluster, exact=True).press("Enter")
        frame.get_by_role("heading", name="The day in figures").wait_for()
        # Airflow's frame lets nothing out, neither to a window of its own nor to the whole window
        frame.get_by_role("link", name="The letter of this day").press("Enter")
        page.frames[1].wait_for_url("**/fleet-health/letters/**")
        letter = page.frames[1].title()
        page.evaluate("history.back()")
        frame.get_by_role("heading", name="The day in figures").wait_for()
        frame.locator("p a[href*='/dags/fleet_health/runs/']").press("Enter")
        page.frames[1].wait_for_url("**/dags/fleet_health/runs/**")
        frame.locator("#root div").first.wait_for()
        state = page.context.storage_state()
        about = [one for one in seen.complaints if f"{base}/fleet-health/" in one and "401" not in one]
        complaints = [one for one in about if "escape its sandboxing" not in one]  # of Airflow's frame, not of the page
        run, hosts, status = page.frames[1].url, seen.hosts, refused.status if refused else 0
        with watched(browser, bypass_csp=True, color_scheme="dark", storage_state=state) as dark:
            axe = {}
            for path in (f"?day={day}", f"clusters/{quote(cluster)}?day={day}"):
                dark.page.goto(f"{base}/fleet-health/{path}")
                axe[path] = violations(dark.page)
            dark.page.set_viewport_size(PHONE)
            wide = overflow(dark.page)
            hosts |= dark.hosts
    return Look(status, login, headline, framed, reached, letter, run, hosts, complaints, axe, wide)
