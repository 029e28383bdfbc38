"""The page as files: all that the first one leads to, with links that a browser follows without a server."""

import pytest

from kafka_fleet.page.app import make_app
from kafka_fleet.page.static_pages import write_pages
from support.homes.judged_days import open_day, recorded_days
from support.inspection.page_links import Links, lost_links


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("judged")
    open_day(recorded_days()["follower331"], home)
    first = write_pages(make_app(lambda: home, []), tmp_path_factory.mktemp("files"))
    assert first.name == "index.html"
    return first.parent


def test_every_kind_of_page_is_there(folder):
    assert {path.name for path in folder.iterdir()} == {
        "index.html", "page.css", "symptoms.html", "clusters", "letters", "issues", "signatures",
    }  # fmt: skip
    assert (folder / "clusters" / "follower331.html").is_file()
    assert (folder / "issues" / "KAFKA-14334.html").is_file()


def test_no_link_is_lost_and_a_broken_one_would_be_found(folder):
    assert lost_links(folder) == []
    page = folder / "broken.html"
    page.write_text('<p id="here"><a href="index.html">a</a> <a href="gone.html">b</a> <a href="#there">c</a></p>')
    assert lost_links(folder) == [("broken.html", "gone.html"), ("broken.html", "#there")]
    page.unlink()


def test_what_takes_a_server_is_left_out(folder):
    for path in folder.rglob("*.html"):
        assert not {"form", "button", "select"} & Links(path).tags, path
    assert "1 has a confirmed bug" in (folder / "index.html").read_text()
