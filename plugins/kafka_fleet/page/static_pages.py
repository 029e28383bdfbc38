"""The page as files: takes the app, writes each of its pages that the first one leads to, with links among them.

A browser opens them without any server. What takes one is left out: forms, and days other than the newest.
"""

import inspect
import re
from collections.abc import Mapping
from html import escape, unescape
from os.path import relpath
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urljoin, urlsplit

from fastapi import FastAPI
from fastapi.params import Param
from fastapi.routing import APIRoute

from kafka_fleet.store.files import replace_file

_HERE = "http://page.invalid"  # stands for the server that there is not
_LINK = re.compile(r'(?<=\s)(href|src)="([^"]*)"')
_FORM = re.compile(r"<form\b.*?</form>\n?", re.DOTALL)


def _content(app: FastAPI, path: str, query: Mapping[str, str]) -> bytes:
    """What the app answers. Raises KeyError for an address that it does not have."""
    for route in app.routes:
        if isinstance(route, APIRoute) and "GET" in route.methods and (found := route.path_regex.match(path)):
            given: dict[str, Any] = {
                name: query.get(name, one.default.default if isinstance(one.default, Param) else one.default)
                for name, one in inspect.signature(route.endpoint).parameters.items()
            }
            body: bytes = route.endpoint(**given | found.groupdict()).body
            return body
    raise KeyError(path)


def _file(path: str) -> str:
    if path == "/":
        return "index.html"
    return path[1:] if path.endswith(".css") else f"{path[1:]}.html"


def write_pages(app: FastAPI, folder: Path) -> Path:
    """Write them below a folder; gives the first one's path. app: its forms that write are not offered."""
    waiting, done = [SplitResult("", "", "/", "", "")], set[str]()
    while waiting:
        at = waiting.pop()
        if at.path in done:
            continue
        done.add(at.path)
        content, file = _content(app, at.path, dict(parse_qsl(at.query))), _file(at.path)

        def linked(match: re.Match[str], path: str = at.path, file: str = file) -> str:
            target = urlsplit(urljoin(f"{_HERE}{path}", unescape(match[2])))
            if f"{target.scheme}://{target.netloc}" != _HERE or match[2].startswith("#"):
                return match[0]
            target = target._replace(path=unquote(target.path) or "/")
            waiting.append(target)
            place = relpath(_file(target.path), Path(file).parent) + (f"#{target.fragment}" if target.fragment else "")
            return f'{match[1]}="{escape(place)}"'

        if file.endswith(".html"):
            content = _LINK.sub(linked, _FORM.sub("", content.decode())).encode()
        replace_file(folder / file, content)
    return folder / "index.html"
