"""Pages as files: takes their folder, gives the links that lead to no file in it, or to no place in that file."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """Where a page leads, and the places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.to: list[str] = []
        self.places: set[str] = set()
        self.tags: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        self.to += [value for name in ("href", "src") if (value := found.get(name))]
        self.places |= {value for name in ("id", "name") if (value := found.get(name))}


def lost_links(folder: Path) -> list[tuple[str, str]]:
    """By page and link; addresses of other sites lead where they lead."""
    pages = {path.resolve(): Links(path) for path in folder.rglob("*.html")}
    lost = []
    for path, page in pages.items():
        for link in page.to:
            parts = urlsplit(link)
            if parts.scheme in ("https", "mailto") or (path.parent.parent.name == "letters" and not parts.path):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = target.is_file() and target.is_relative_to(folder.resolve())
            if not there or (parts.fragment and unquote(parts.fragment) not in pages[target].places):
                lost.append((path.name, link))
    return lost
