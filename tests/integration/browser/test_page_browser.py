"""The Fleet Health page in a real browser, scripts off: the strict policy, the keyboard, axe, dark mode, a phone.

tests/integration/airflow/test_airflow_backfill.py opens it inside a running Airflow.
"""

import re
import time
from pathlib import Path

import pytest

from kafka_fleet.page.app import make_app
from support.browser.browser import DESKTOP, PHONE, chromium, overflow, served, tab, violations, watched
from support.browser.hostile_names import HOSTILE
from support.builders.letter_rows import DS, finding
from support.builders.published_days import confirmed, dossier, four_days, publish_day
from support.builders.upgrade_fleets import BUG, HOLE, candidate

pytestmark = pytest.mark.sampled

ROOT = Path(__file__).resolve().parents[3]
FLEETS = ("four-days", "empty", "thousand", "hostile", "fleet")
CATALOGUE = ["four-days/symptoms", "four-days/signatures/fetch_latency", "four-days/issues/KAFKA-14334"]
LIGHT = ["four-days/", "four-days/clusters/payments-eu", "four-days/clusters/nobody", "empty/", *CATALOGUE, "fleet/"]
PAGES = [*LIGHT, "four-days/clusters/lost-eu", "four-days/?owner=nobody", "thousand/", "hostile/", "hostile/clusters/a"]


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


def upgradable(home):
    """Clusters with releases to go to, and things in the way of them."""
    old = [{"software": "apache-kafka-java", "version": "1.1.0", "listener": "PLAINTEXT", "connections": 3}]
    clusters = {}
    for number in range(6):
        closes = [BUG, HOLE] if number < 2 else [HOLE]
        about = dossier(f"c{number}", DS, mode="ZooKeeper" if number % 2 else "KRaft", clients=old if number else [])
        choice = [candidate("3.9.2", closes, supported=False), candidate("4.4.0", closes, ["KAFKA-19862"])]
        choice += [candidate(release, [HOLE]) for release in ("3.7.2", "3.8.1")]  # of four campaigns one is folded
        about["plan"] = about["plan"] | {"candidates": {"server": choice, "client": []}}
        clusters[f"c{number}"] = (about, [finding(HOLE, "exposed"), *([confirmed()] if number < 2 else [])])
    publish_day(home, DS, clusters)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Several homes behind one server: /four-days/, /empty/, /thousand/, /hostile/."""
    from fastapi import FastAPI

    homes = {name: tmp_path_factory.mktemp(name) for name in FLEETS}
    four_days(homes["four-days"])
    (homes["four-days"] / "fleet.yaml").write_text("")
    clusters = {f"c{number:04d}": (dossier(f"c{number:04d}", DS), []) for number in range(1000)}
    publish_day(homes["thousand"], DS, clusters, letters=False)
    about = dossier("a", DS, {"fetch_latency": "detected"}, environment=HOSTILE, owners=[HOSTILE], mode=HOSTILE)
    about["signatures"][0]["title"] = HOSTILE
    publish_day(homes["hostile"], DS, {"a": (about, [confirmed()])}, letters=False)
    upgradable(homes["fleet"])
    app = FastAPI()
    for name, home in homes.items():
        app.mount(f"/{name}", make_app(lambda home=home: home, [], lambda home=home: home / "fleet.yaml"))
    with served(app) as address:
        yield address


@pytest.mark.parametrize("page", PAGES)
def test_the_strict_policy_blocks_nothing_of_ours_and_nothing_leaves_the_machine(browser, base, page):
    with watched(browser, java_script_enabled=False) as seen:
        answer = seen.page.goto(f"{base}/{page}")
        assert answer.status == (404 if page.endswith("/nobody") else 200)
        assert seen.page.locator("h1").count() == 1
        assert seen.page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") == "1400px", "its rules"
        assert seen.hosts == {"127.0.0.1"}
        assert [one for one in seen.complaints if "404 (Not Found)" not in one] == []
        assert seen.failed == []
        assert overflow(seen.page) <= 0
        seen.page.set_viewport_size(PHONE)
        assert overflow(seen.page) <= 0


@pytest.mark.parametrize(
    ("page", "scheme", "size"),
    [
        *((page, scheme, DESKTOP) for page in LIGHT for scheme in ("light", "dark")),
        *((page, "light", PHONE) for page in LIGHT[:2]),
    ],
)
def test_axe_finds_nothing(browser, base, page, scheme, size):
    with watched(browser, bypass_csp=True, color_scheme=scheme, viewport=size) as seen:
        seen.page.goto(f"{base}/{page}")
        seen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert violations(seen.page) == {}
        assert overflow(seen.page) <= 0


@pytest.mark.fault(53)
@pytest.mark.parametrize("name", ["payments-eu", "index"])
def test_a_stored_letter_looks_alike_under_its_policy_which_lets_nothing_run_or_load(browser, tmp_path, name):
    """Opened as a file, where no header of the page's guards it."""
    letter = (ROOT / f"tests/golden/{name}.html").read_text()
    free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", letter)
    assert free != letter
    away = "http://127.0.0.1:1/a.png"
    acting = f'<script>document.title = "ran"</script><img src="{away}"></body>'
    seen = []
    for number, text in enumerate((letter, free, *(one.replace("</body>", acting) for one in (letter, free)))):
        path = tmp_path / f"{number}.html"
        path.write_text(text)
        with watched(browser) as one:
            one.page.goto(path.as_uri())
            seen.append((one.page.screenshot(full_page=True), one.page.title() == "ran", one.failed, one.complaints))
    assert seen[0] == seen[1], "without its policy it is the same picture"
    assert seen[0][1:] == (False, [], [])
    _picture, ran, failed, complaints = seen[2]
    assert (ran, failed) == (False, [f"{away}: csp"])
    assert len(complaints) == 2
    assert all("Content Security Policy" in complaint for complaint in complaints)
    assert seen[3][1:3] == (True, [f"{away}: net::ERR_UNSAFE_PORT"]), "else nothing was there to be held back"


def test_an_address_of_a_finding_unfolds_it(browser, base):
    with watched(browser, java_script_enabled=False) as seen:
        seen.page.goto(f"{base}/fleet/clusters/c5#finding-{HOLE}")
        shown = seen.page.locator(f"#finding-{HOLE}")
        assert shown.is_visible()
        assert seen.page.evaluate("scrollY") > 0
        seen.page.goto("about:blank")
        seen.page.goto(f"{base}/fleet/clusters/c5")
        assert not seen.page.locator(f"#finding-{HOLE}").is_visible(), "folded unless it is asked for"


def test_a_stored_fleet_page_is_as_wide_as_its_window_in_light_and_dark(browser, tmp_path):
    upgradable(tmp_path)
    address = (tmp_path / f"reports/ds={DS}/index.html").as_uri()
    for scheme in ("light", "dark"):
        for size in (PHONE, {"width": 900, "height": 900}):
            with watched(browser, color_scheme=scheme, viewport=size, bypass_csp=True) as seen:
                seen.page.goto(address)
                assert overflow(seen.page) <= 0
                assert violations(seen.page) == {}


def test_dark_mode_is_dark(browser, base):
    colours = {}
    for scheme in ("light", "dark"):
        with watched(browser, color_scheme=scheme) as seen:
            seen.page.goto(f"{base}/four-days/clusters/payments-eu")
            colours[scheme] = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
            lines = seen.page.evaluate("[...document.querySelectorAll('.line')].map(x => getComputedStyle(x).stroke)")
            assert len(set(lines)) == 8
            assert "none" not in lines
    assert colours == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 28)"}


def test_the_whole_way_by_keyboard(browser, base):
    with watched(browser, java_script_enabled=False) as seen:
        seen.page.goto(f"{base}/four-days/")
        focused = [tab(seen.page) for _ in range(16)]  # decisions, who was not measured, no candidates, the table
        names = [(one["tag"], one["name"]) for one in focused]
        assert names == [
            ("a", "Skip to the content"), ("a", "scheduled__2026-11-20T00:00:00+00:00"), ("a", "What do you see?"),
            ("select", "day"), ("select", "verdict"), ("select", "environment"), ("select", "owner"),
            ("button", "Show"), ("a", "payments-eu"), ("a", "lost-eu"), ("a", "archive-eu"),
            ("a", "payments-eu"), ("a", "archive-eu"), ("a", "lost-eu"), ("a", "payments-eu"),
            ("div", "Clusters and symptoms"),
        ]  # fmt: skip
        assert all(one["outline"] >= 2 and one["shown"] for one in focused), focused
        seen.page.goto(f"{base}/four-days/")
        tab(seen.page)
        seen.page.keyboard.press("Enter")
        assert seen.page.evaluate("location.hash") == "#main"
        assert tab(seen.page, 3)["name"] == "day"
        tab(seen.page)
        seen.page.keyboard.type("Confirmed")
        tab(seen.page, 3)
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/?*verdict=confirmed*")
        assert seen.page.locator("tbody th a").all_inner_texts() == ["payments-eu"]
        while tab(seen.page)["name"] != "Clusters and symptoms":  # from the content on: the address still names it
            assert seen.page.evaluate("document.activeElement !== document.body")
        assert tab(seen.page)["name"] == "payments-eu"
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/clusters/payments-eu*")
        stops = []
        while not stops or stops[-1]["tag"] != "body":
            stops.append(tab(seen.page))
            assert len(stops) < 100
        assert all(one["outline"] >= 2 and one["shown"] for one in stops[:-1]), stops
        assert {"summary", "a", "select", "button"} <= {one["tag"] for one in stops}


def test_an_acknowledgement_is_given_and_taken_back_by_keyboard(browser, base):
    with watched(browser, java_script_enabled=False) as seen:
        seen.page.goto(f"{base}/four-days/clusters/payments-eu")
        seen.page.get_by_text("Acknowledge", exact=True).focus()
        seen.page.keyboard.press("Enter")
        tab(seen.page)
        seen.page.keyboard.type("Upgrade is planned for January.")
        tab(seen.page)
        seen.page.keyboard.type("oncall@example.org")
        seen.page.get_by_label("Until").fill("2026-12-31")
        seen.page.get_by_role("button", name="Acknowledge KAFKA-14334").press("Enter")
        seen.page.get_by_text("Upgrade is planned for January.").wait_for()
        assert seen.page.url.endswith(f"/four-days/clusters/payments-eu?day={DS}")
        seen.page.get_by_role("button", name="Take back the acknowledgement of KAFKA-14334").press("Enter")
        seen.page.get_by_text("Acknowledge", exact=True).wait_for()
        assert seen.page.url.endswith(f"/four-days/clusters/payments-eu?day={DS}")
        assert seen.page.get_by_text("Upgrade is planned for January.").count() == 0
        assert seen.complaints == []


def test_a_screen_reader_finds_landmarks_headings_and_tables(browser, base):
    with watched(browser) as seen:
        seen.page.goto(f"{base}/four-days/")
        fleet = seen.page.locator("body").aria_snapshot()
        seen.page.goto(f"{base}/four-days/clusters/payments-eu")
        cluster = seen.page.locator("body").aria_snapshot()
    for words in ('main', 'heading "3 clusters: 1 has a confirmed bug, 1 was not measured" [level=1]',
                  'combobox "Verdict"', 'region "Clusters and symptoms"', 'columnheader "fetch latency"',
                  'rowheader "payments-eu production"', 'img "Confirmed; shown on 2 of 4 days"'):  # fmt: skip
        assert words in fleet, words
    for words in ('heading "The day in figures" [level=2]', 'heading "How long consumer fetches took" [level=3]',
                  'img "How long consumer fetches took, broker 2"', 'columnheader "History"',
                  'region "Findings"'):  # fmt: skip
        assert words in cluster, words


def test_a_thousand_clusters_are_light_and_soon_there(browser, base):
    with watched(browser, java_script_enabled=False) as seen:
        begin = time.monotonic()
        answer = seen.page.goto(f"{base}/thousand/")
        assert time.monotonic() - begin < 10
        assert len(answer.body()) < 1_000_000
        assert seen.page.locator("tbody tr").count() == 100
        seen.page.get_by_role("navigation", name="Pages").get_by_role("link", name="10").click()
        assert seen.page.locator("tbody th a").first.inner_text() == "c0900"
        assert seen.page.locator("[aria-current=page]").inner_text() == "10"
        assert len(seen.asked) <= 4
