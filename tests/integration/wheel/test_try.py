"""`kafka-fleet try` after an install of the wheel: one command, no broker, no Airflow, no checkout."""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from support.inspection.page_links import lost_links
from support.wheel.installed import ROOT, Installed

pytestmark = pytest.mark.sampled("wheel")  # a run of Spark

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
    assert lost_links(tried.results / "page") == []
    assert "3 clusters: 1 has a confirmed bug" in (tried.results / "page" / "index.html").read_text()
