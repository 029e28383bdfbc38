"""Channels of payments-eu, and a real HTTP server at their other end."""

from collections.abc import Iterator

import pytest

from support.servers.channel_server import ChannelServer, channel_server


@pytest.fixture
def other_end() -> Iterator[ChannelServer]:
    with channel_server() as server:
        yield server
