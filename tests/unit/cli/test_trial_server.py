"""The page that `kafka-fleet try --serve` serves: on this machine alone, and for its own name alone."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
import requests

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.main import main
from kafka_fleet.cli.trial_server import PageServer
from kafka_fleet.page.app import make_app
from support.builders.published_days import four_days


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    four_days(tmp_path)
    found = PageServer(make_app(lambda: tmp_path, []), 0)
    thread = Thread(target=found.run, daemon=True)
    thread.start()
    yield found
    found.stop()
    thread.join(10)
    assert not thread.is_alive()


def test_the_page_is_served_on_loopback(server: PageServer) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    answer = requests.get(server.url, timeout=30)
    assert (answer.status_code, "payments-eu" in answer.text) == (200, True)
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "Server" not in answer.headers or "uvicorn" not in answer.headers["Server"]


def test_a_name_that_leads_here_is_refused(server: PageServer) -> None:
    assert requests.get(server.url, headers={"Host": "evil.example.org"}, timeout=30).status_code == 400


def test_nothing_can_be_written(server: PageServer) -> None:
    path = f"{server.url}clusters/payments-eu/acknowledge"
    assert requests.post(path, data={"reason": "x"}, timeout=30).status_code in (403, 404, 405, 422)


def test_a_port_that_is_taken_is_said_before_anything_runs(tmp_path: Path, capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} cannot be listened on"):
            PageServer(make_app(lambda: tmp_path, []), port)
        assert main(["try", "--home", str(tmp_path / "home"), "--no-open", "--serve", str(port)]) == 2
    assert "cannot be listened on" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()
