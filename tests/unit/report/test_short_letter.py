"""The mail's body: what it says first, in how many words and bytes, and that names in it are text."""

import html
import json
import re
from typing import Any

import pytest

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import parsed_findings
from kafka_fleet.report.changes import compare, told_of
from kafka_fleet.report.first_screen import build_screen
from kafka_fleet.report.sanitize import visible
from kafka_fleet.report.screen_model import BREVITIES, MOST_IDS, News, few, text_of
from kafka_fleet.report.short_letter import MOST_BYTES, ShortLetter
from support.browser.acting_html import ActingHtml
from support.builders.documents import render_short, short_of
from support.builders.letter_rows import broker, evidence, finding
from support.builders.letter_samples import ADVISORIES, payments, payments_findings, unreached, unreached_findings
from support.homes.golden_homes import CLUSTER, unpack

PAGE = "https://airflow.example.org/fleet-health"
BUG = {"signature": "fetch_latency", "cause": "follower", "strength": "conclusive", "signature_state": "detected"}
ID = re.compile(r"\b(?:KAFKA|CVE|CFG|OPS)-[A-Z0-9][A-Z0-9-]*")
HOSTILE = [
    "<script>alert(1)</script>",
    "{{7*7}}{% raw %}",
    'x" onload="alert(2)',
    "line\r\nBcc: all@example.org",
    "abc\u202egnp.exe\u200b",
    "many words " * 60,
    "w" * 249,
]


def bare(page: str) -> str:
    """What is read of a page, in one line."""
    return " ".join(html.unescape(re.sub(r"<head>.*?</head>|<[^>]+>", " ", page, flags=re.S)).split())


def words(text: str) -> int:
    return len([piece for piece in text.split() if re.search(r"\w", piece)])


def checked(made: ShortLetter, most: int) -> str:
    """The text in one line, of a letter that keeps the bounds in both twins."""
    assert words(made.text) <= most
    assert words(bare(made.html)) <= most + 20, "and the page's labels"
    assert len(made.html.encode()) <= MOST_BYTES
    assert len(set(ID.findall(bare(made.html)))) <= MOST_IDS
    assert set(ID.findall(made.text)) <= set(ID.findall(bare(made.html))) | set(ID.findall(made.html))
    assert not ActingHtml(made.html).tags & {"style", "img", "svg", "script", "link"}
    assert max(map(len, (line for line in made.text.splitlines() if "://" not in line))) <= 78
    return " ".join(made.text.split())


def exposures(number: int) -> list[dict[str, Any]]:
    return [finding(name, "exposed", severity="high") for name in sorted(ADVISORIES)][:number]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[ClusterReport, list[Any]]:
    """The day of judged-c9fde2c: real brokers with a confirmed bug, as in the demo."""
    home = tmp_path_factory.mktemp("home")
    unpack(home, "judged")
    folder = home / "findings/ds=2026-11-11/g0001"
    findings = parsed_findings(json.loads((folder / "findings.json").read_bytes()))
    report = ClusterReport.model_validate(json.loads((folder / f"clusters/{CLUSTER}.json").read_bytes()))
    return report, [one for one in findings if one.cluster == CLUSTER]


def test_a_recorded_days_letter_says_whom_it_hits_proves_it_and_says_what_to_do(recorded: Any) -> None:
    report, findings = recorded
    found = compare(None, findings, None, True, lambda *_: 9)
    subject, made = short_of(report, findings, found, page=PAGE)
    text = checked(made, 300)
    assert subject == f"{CLUSTER}: consumer group billing reads half a second late (KAFKA-14334)"
    order = [
        "Consumer group billing reads topic orders from the follower on broker 2",
        "96.2 % of the consumer fetches on broker 2",
        "healthy: 1.55 %",
        "Do: Upgrade brokers from 3.3.1 to 3.9.2.",
        "Who: Whoever runs the brokers of long-life.",
        "When: ",
        "Until then: Unset client.rack",
        "The first letter",
        "Most pressing exposure: CVE-",
        "Brokers to 3.9.2: closes 10 of 26",
        "Brokers to 4.2.2: closes 4 more",
        "Java clients to 4.2.2: closes 9 more",
        "Measured: 3 sweeps",
        "14 issues undecided. Declare the client libraries under client_configs in the fleet file: 10 issues wait",
    ]
    places = [text.find(part) for part in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    assert f'href="{PAGE}/clusters/{CLUSTER}?day={report.ds}#finding-KAFKA-14334"' in made.html
    assert f'href="{PAGE}/clusters/{CLUSTER}?day={report.ds}#exposed"' in made.html
    assert made.text.count("█") > 20


def test_without_a_page_it_leads_to_the_attachment(recorded: Any) -> None:
    report, findings = recorded
    _subject, made = short_of(report, findings, compare(None, findings, None, True, lambda *_: 9))
    assert "href" not in made.html
    assert f"in the attached {CLUSTER}_{report.ds}.html" in bare(made.html)
    assert f"Attached: {CLUSTER}_{report.ds}.html" in made.text


def test_a_quiet_day_is_told_in_a_hundred_and_fifty_words(recorded: Any) -> None:
    report, findings = recorded
    quiet = [one for one in findings if one.verdict != "confirmed"]
    before = told_of([one for one in quiet if one.key not in ("CVE-2026-111108", "KAFKA-17076", "KAFKA-9965")])
    found = compare(before, quiet, "2026-11-08", True, lambda *_: 9)
    subject, made = short_of(report, quiet, found)
    assert subject == f"{CLUSTER}: nothing confirmed; 3 new exposures"
    text = checked(made, 150)
    assert text.startswith("Nothing is confirmed in long-life. Releases and settings expose it to 25 known bugs.")
    assert "Since the letter of 2026-11-08 - New, exposed:" in text
    assert "Do:" not in text


def test_a_cluster_without_any_finding_claims_no_more_than_was_measured() -> None:
    subject, made = render_short(payments(), [finding("KAFKA-12964", "not_affected")], "2026-11-19", {})
    assert subject == "payments-eu: nothing confirmed; nothing changed"
    text = checked(made, 150)
    assert text.startswith("payments-eu shows no known bug in what could be measured.")
    assert "Could not look for reconnect storm." in text.replace("\n", " ")


def tried(**coverage: Any) -> dict[str, Any]:
    dossier = unreached()
    silent = [broker(number, ok=0, failed=144, failures=["unreachable"], release=None) for number in (1, 2, 3)]
    admin = {"ok": 0, "failed": 144, "failures": ["NoBrokersAvailable: broker-1.example.org:9092: connection refused"]}
    dossier["coverage"] |= {"sweeps": 144, "brokers": silent, "admin": admin} | coverage
    return dossier | {"reached": False}


def test_a_cluster_that_was_not_reached_says_what_answered_and_what_to_check() -> None:
    subject, made = render_short(tried(), unreached_findings(), last_measured="2026-11-18")
    text = checked(made, 60)
    assert subject == "billing-us: not measured since 2026-11-18"
    assert text.startswith("billing-us was not reached on 2026-11-20.")
    assert "Tried: 144 sweeps." in text
    assert "broker-1.example.org:9092: connection refused" in text
    assert "agents of brokers 1, 2 and 3: no connection" in text
    assert "Last measured: 2026-11-18." in text
    assert "Check: That brokers are up and addresses are right." in text


@pytest.mark.parametrize("swept", [False, True])
def test_sixty_words_hold_however_much_there_is_to_say(swept: bool) -> None:
    dossier = tried() if swept else unreached()
    dossier["bootstrap_servers"] = [f"broker-{n}.{'long-name-' * 12}.example.org:9092" for n in range(40)]
    told = told_of(parsed_findings([finding(f"KAFKA-{n}", "confirmed", "billing-us") for n in range(1, 90)]))
    faults = [f"An acknowledgement is not used: entry {n}: {'no such field ' * 20}" for n in range(50)]
    for before, since in ((None, None), (told, "2026-11-19")):
        _subject, made = render_short(dossier, unreached_findings(), since, before, faults=faults)
        checked(made, 60)


def test_an_entry_that_is_not_valid_says_why() -> None:
    dossier = unreached() | {"declaration_error": "jolokia: needs brokers (id: URL) or url_template"}
    subject, made = render_short(dossier, [])
    assert subject == "billing-us: not measured, its entry in the fleet file is not valid"
    assert "Why: jolokia: needs brokers (id: URL) or url_template" in checked(made, 60)


def test_a_cluster_that_was_set_aside_is_not_called_healthy() -> None:
    dossier = payments() | {"set_aside": "Not judged on this day: the query broker_days failed on its values."}
    subject, made = render_short(dossier, [finding("KAFKA-14334", "unknown", missing=["not judged"])])
    assert subject == "payments-eu: not judged, its measurements made a query fail"
    text = checked(made, 150)
    assert "Nothing is known to be healthy." in text
    assert "the query broker_days failed on its values" in text


def test_at_most_five_ids_the_most_pressing_first_then_a_count() -> None:
    rows = [finding(f"KAFKA-{14000 + n}", "confirmed", severity="medium") for n in range(30)]
    rows.append(finding("KAFKA-15999", "confirmed", severity="critical"))
    _subject, made = render_short(payments(), [*rows, *exposures(5)], "2026-11-19", {})
    text = checked(made, 300)
    assert "KAFKA-15999" in text.split("Do:")[0]
    assert "27 more findings." in text


@pytest.mark.parametrize("poison", HOSTILE)
def test_names_are_text_and_keep_the_bounds(poison: str) -> None:
    names = [f"{kind} {poison}" for kind in ("topic", "group", "client", "listener")]
    one = finding(
        "KAFKA-14334", "confirmed", **BUG, subjects=[*names, "broker 2"], upgrade_to="3.3.2", release=poison,
        workaround=poison, evidence=[evidence(where=poison), evidence(poison, metric=poison)],
    )  # fmt: skip
    other = finding(None, "look_alike", signature="x", cause=poison, subjects=names, evidence=[evidence(metric=poison)])
    changed = told_of(parsed_findings([finding(f"{poison}-{n}", "exposed") for n in range(30)]))
    clean = ActingHtml(render_short(payments(), payments_findings())[1].html)
    dossier = payments() | {"owners": [poison], "bootstrap_servers": [poison]}
    dossier["signatures"][0]["missing"] = [poison]
    for before, since in ((None, None), (changed, "2026-11-19")):
        rows = [one, other, finding(poison, "unknown", missing=[poison])]
        subject, made = render_short(dossier, rows, since, before, page=PAGE)
        checked(made, 300)
        assert ActingHtml(made.html).tags <= clean.tags | {"a", "wbr"}
        assert ActingHtml(made.html).acting == []
        assert not set("\r\u202e\u200b") & set(made.html + made.text + subject)
        assert "\n" not in subject
        assert len(subject) <= 150
        assert visible(poison)[:11].strip() in " ".join(html.unescape(made.html).split())


def test_both_twins_and_the_page_have_the_same_screen() -> None:
    document = ClusterReport.model_validate(payments())
    findings = parsed_findings(payments_findings())
    screen = build_screen(document, findings, {}, News(page=PAGE))
    assert screen.since == ("", ())
    assert screen.trouble is not None
    assert text_of(screen.trouble.what).endswith("KAFKA-14334")
    assert screen.trouble.what[-1].url.endswith("#finding-KAFKA-14334")
    shorter = build_screen(document, findings, {}, brief=BREVITIES[-1])
    assert len(text_of(shorter.coverage)) <= len(text_of(screen.coverage))
    assert shorter.also[0][0].text.startswith("1 other finding")


def test_few_words_are_whole_sentences_where_they_fit() -> None:
    assert few("One two. Three four five. Six.", 5) == "One two. Three four five."
    assert few("One two three four five.", 3) == "One two three …"


@pytest.mark.parametrize("software", ["old-java 0.10.2", *HOSTILE])
def test_clients_that_the_next_release_refuses_come_first(software: str) -> None:
    day = payments()
    clients = [f"client {software} with Produce 2 on broker 1", "client unknown with Fetch 3 on broker 2"]
    found = {"answer": True, "sentence": "s", "clients": clients, "missing": []}
    _subject, made = render_short({**day, "plan": {**day["plan"], "old_protocol": found}}, payments_findings())
    text = checked(made, 300)
    assert "First upgrade 2 clients that it refuses, such as " in text
    assert text.index("Brokers to 4.2.2: closes") < text.index("First upgrade 2 clients")
    if software == "old-java 0.10.2":
        assert "such as old-java 0.10.2 with Produce 2 on broker 1." in text
    quiet = {**found, "answer": False, "clients": []}
    _subject, made = render_short({**day, "plan": {**day["plan"], "old_protocol": quiet}}, payments_findings())
    assert "First upgrade" not in made.text
