"""Channels of payments-eu, and real HTTP servers at their other end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.builders.mailed_days import confirmed, write
from support.servers.channel_server import ChannelServer, channel_server
from support.servers.jira_server import Jira, jira_server


@pytest.fixture
def other_end() -> Iterator[ChannelServer]:
    with channel_server() as server:
        yield server


@pytest.fixture
def jira() -> Iterator[Jira]:
    with jira_server() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Of a day with a confirmed finding."""
    write(tmp_path, [confirmed()])
    return tmp_path
