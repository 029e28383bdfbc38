"""What several test files read, made once per run."""

from collections.abc import Iterator

import pytest

from kafka_fleet.mail.smtp_settings import SmtpSettings
from support.generators.seed import SEED
from support.homes.bucket_home import CANARY
from support.servers.mail_server import Mailbox, mail_server, plain
from support.servers.s3_server import S3Server, s3_server

pytest_plugins = ["support.marks", "support.sample"]


def pytest_report_header() -> str:
    """How to have the same fleets again."""
    return f"FLEET_SEED={SEED}"


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
