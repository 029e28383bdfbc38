"""What of a page could act: takes HTML, gives its tags and the attributes that run, load or lead somewhere."""

import re
from html.parser import HTMLParser


class ActingHtml(HTMLParser):
    """Tags, and attributes that could act."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.acting: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.acting += [n for n, _v in attrs if n.startswith("on") or n in ("src", "background", "srcdoc", "action")]
        self.acting += [v or "" for n, v in attrs if n == "href" and not (v or "").startswith("https://")]
        self.acting += [
            v or "" for n, v in attrs if n == "style" and re.search(r"url\(|expression|@import|-moz-binding", v or "")
        ]
