"""`kafka-fleet try` after an install of the wheel: one command, no broker, no Airflow, no checkout."""

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

from support.wheel.installed import ROOT, Installed

CLUSTERS = ("follower331", "idle331", "follower332")


class Tried(NamedTuple):
    """A run: what it printed, and its home."""

    done: subprocess.CompletedProcess[str]
    home: Path

    @property
    def results(self) -> Path:
        return self.home / "try"


@pytest.fixture(scope="module")
def tried(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    home = tmp_path_factory.mktemp("tried") / "home"
    return Tried(installed.run("kafka-fleet", "try", "--home", str(home), "--no-open"), home)


class Links(HTMLParser):
    """Where a page leads, and the places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.to: list[str] = []
        self.places: set[str] = set()
        self.tags: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        self.to += [value for name in ("href", "src") if (value := found.get(name))]
        self.places |= {value for name in ("id", "name") if (value := found.get(name))}


def test_it_ends_well_and_tells_the_three_verdicts(tried):
    assert tried.done.returncode == 0, tried.done.stdout + tried.done.stderr
    rows = {
        line.split()[0]: line.split()[1:3] for line in tried.done.stdout.splitlines() if re.match(r"\w+33\d ", line)
    }
    assert rows == {
        "follower331": ["3.3.1", "confirmed"],
        "idle331": ["3.3.1", "exposed"],
        "follower332": ["3.3.2", "not_affected"],
    }
    assert "Traceback" not in tried.done.stderr
    assert str(ROOT) not in tried.done.stdout + tried.done.stderr + (tried.results / "spark.log").read_text()


def test_it_says_what_each_letter_says_and_where_it_is(tried):
    text = " ".join(tried.done.stdout.split())
    for cluster in CLUSTERS:
        mail = (tried.results / "mails" / f"{cluster}.html").read_text()
        (report,) = (tried.home / "reports").glob(f"ds=*/{cluster}.html")
        assert all(str(path) in text for path in (tried.results / "mails" / f"{cluster}.html", report))
        (subject,) = re.findall(rf"Subject: ({cluster}: .*?) (?=[A-Z])", text)
        assert subject in mail
        assert ("KAFKA-14334" in mail) is (cluster == "follower331")
        assert ("KAFKA-14334" in report.read_text()) is (cluster != "follower332")
    (shown,) = re.findall(r"([\d.]+) % of the consumer fetches on broker \d waited out their time", text)
    assert float(shown) > 50
    assert "Do: Upgrade brokers from 3.3.1" in text


def test_every_link_of_its_pages_leads_to_a_file_and_a_place_that_are_there(tried):
    folder = tried.results / "page"
    pages = {path.resolve(): Links(path) for path in folder.rglob("*.html")}
    assert len(pages) > 50
    assert {"clusters", "letters", "issues", "signatures"} <= {path.name for path in folder.iterdir()}
    for path, page in pages.items():
        assert "form" not in page.tags, path
        for link in page.to:
            parts = urlsplit(link)
            if parts.scheme or (path.parent.parent.name == "letters" and not parts.path):
                assert parts.scheme in ("", "https", "mailto"), (path, link)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), (path, link)
            assert target.is_relative_to(folder.resolve())
            assert not parts.fragment or unquote(parts.fragment) in pages[target].places, (path, link)
    first = (folder / "index.html").read_text()
    assert "3 clusters: 1 has a confirmed bug" in first
