"""The Fleet Health page without a server: takes a home, gives a client and the text of its answers."""

import re

from fastapi.testclient import TestClient

from kafka_fleet.page.app import make_app


def client(home):
    return TestClient(make_app(lambda: home, []))


def text(answer):
    """What a reader reads: no markup, single blanks."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())
