"""The Fleet Health page without a server: takes a home, gives a client and the text of its answers."""

import re

import pytest
from fastapi.testclient import TestClient

from kafka_fleet.page.app import make_app
from support.builders.published_days import four_days


def client(home):
    return TestClient(make_app(lambda: home, []))


def text(answer):
    """What a reader reads: no markup, single blanks."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())


@pytest.fixture
def home(tmp_path):
    four_days(tmp_path)
    return tmp_path
