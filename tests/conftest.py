"""What several test files read, made once per run; and which files share a worker when the run has several."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from bucket_home import CANARY
from generated import SEED, Generated, generated
from kafka_fleet.mail.smtp_settings import SmtpSettings
from mail_server import Mailbox, mail_server, plain
from s3_server import S3Server, s3_server

ROOT = Path(__file__).resolve().parents[1]


# the longest of what runs Spark, for another worker: beside jobs, and days in two orders
BESIDE_JOBS = ("tests/test_airflow_backfill.py", "tests/test_spark_cluster.py", "tests/test_day_order.py",
                "tests/test_killed_jobs.py")  # fmt: skip


@cache
def group(file: str) -> str:
    """Tests of a file stay together, and of a folder, and of the files that run Spark in their process.

    These share one JVM, which computes at half the cost once it has run for long, and some of them one analysis.
    """
    folder = Path(file).parent
    if folder.name != "tests":
        return folder.name
    if file in BESIDE_JOBS:
        return "beside jobs"
    text = (ROOT / file).read_text(encoding="utf-8")
    return "in process" if re.search(r"^from analysed import |fleets: Generated", text, re.MULTILINE) else file


# what takes longest begins first, so that no worker waits for another at the end
LONG = ("live", "beside jobs", "in process", "tests/test_airflow_run.py", "dags", "tests/test_page_browser.py",
        "tests/test_page_in_airflow.py", "tests/test_sweep.py")  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long groups in front, each as it was collected."""
    place = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(group(item.nodeid.partition("::")[0]), len(LONG)))


class Groups(LoadScopeScheduling):  # type: ignore[misc]
    """Hands whole groups to workers."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid.partition("::")[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups:
    """Called by pytest-xdist when a run has several workers."""
    return Groups(config, log)


def pytest_report_header() -> str:
    """How to have the same fleets again."""
    return f"FLEET_SEED={SEED}"


@pytest.fixture(scope="session")
def fleets() -> Generated:
    """The first test that asks for them waits some minutes."""
    return generated()


@pytest.fixture(scope="module")
def _bucket_server() -> Iterator[S3Server]:
    with s3_server() as server:
        yield server


@pytest.fixture
def bucket_server(_bucket_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """An S3 server on loopback, for the tests of one file; the variables of the environment lead to it."""
    for name, value in _bucket_server.variables(CANARY).items():
        monkeypatch.setenv(name, value)
    return _bucket_server


@pytest.fixture
def box() -> Mailbox:
    """What the mail server of `smtp` takes, and how it answers."""
    return Mailbox()


@pytest.fixture
def smtp(box: Mailbox) -> Iterator[SmtpSettings]:
    """Settings that lead to a real mail server on loopback."""
    with mail_server(box) as port:
        yield plain(port)
