"""Homes that `kafka-fleet late` watches."""

import pytest

from support.homes.bucket_home import next_home
from support.homes.watched_home import Watch


@pytest.fixture(params=["folder", "bucket"])
def watch(request, tmp_path, capsys):
    if request.param == "folder":
        return Watch(tmp_path / "home", capsys)
    request.getfixturevalue("bucket_server")
    return Watch(next_home(), capsys)


@pytest.fixture
def here(tmp_path, capsys):
    return Watch(tmp_path / "home", capsys)
