"""A Jira on loopback, as much as issues need of REST API v2: Cloud or Data Center, with a search that lags behind.

Like Jira's: the login is asked first; `search` is gone on Cloud (410) and `search/jql` unknown to Data Center (404); an
issue is found by its id at once and by a search only once it is indexed; errors have `errorMessages` and `errors`.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from support.servers.serving import QuietHandler, serving

LOST = 0  # in place of a status: what was asked for is done, and the connection closed before the answer
WORKFLOW = {
    "To Do": {"Start": "In Progress", "Close": "Done"},
    "In Progress": {"Close": "Done"},
    "Done": {"Back": "To Do"},
}
CATEGORY = {"To Do": "new", "In Progress": "indeterminate", "Done": "done"}
JQL = re.compile(r'project = "(\w+)" AND labels = "([\w-]+)" ORDER BY created ASC')


@dataclass
class Issue:
    """One issue as it is kept."""

    id: str
    fields: dict[str, Any]
    status: str = "To Do"
    comments: list[str] = field(default_factory=list)
    indexed: bool = True

    @property
    def key(self) -> str:
        return f"{self.fields['project']['key']}-{self.id}"

    def shown(self) -> dict[str, Any]:
        status = {"name": self.status, "statusCategory": {"key": CATEGORY[self.status]}}
        return {"id": self.id, "key": self.key, "fields": {**self.fields, "status": status}}


@dataclass
class Jira:
    """answer: by number of the request from 1 on, method and path, a status (and headers) in place of Jira's own."""

    cloud: bool = True
    project: str = "OPS"
    token: str = "s3cret-canary"
    login: str | None = "bot@example.org"
    indexing: bool = True  # whether a search finds what is written now
    may: tuple[str, ...] = ("BROWSE_PROJECTS", "CREATE_ISSUES")
    required: str | None = None  # a field that an issue needs
    url: str = ""
    issues: list[Issue] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answer: Callable[[int, str, str], int | tuple[int, dict[str, str]] | None] = lambda number, method, path: None

    def index(self) -> None:
        """The search has caught up."""
        for one in self.issues:
            one.indexed = True

    def written(self) -> list[str]:
        return [one for one in self.asked if one.startswith("POST")]

    def handle(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """The answer of a request whose login is right."""
        if path == "mypermissions":
            asked = query["permissions"].split(",")
            return 200, {"permissions": {one: {"key": one, "havePermission": one in self.may} for one in asked}}
        if path == ("search/jql" if self.cloud else "search"):
            return self._search(query)
        if path == "search":
            return 410, {"errorMessages": ["The requested API has been removed."], "errors": {}}
        if path == "issue" and method == "POST":
            return self._create(body["fields"])
        match = re.fullmatch(r"issue/(\d+)(?:/(comment|transitions))?", path)
        found = next(
            (one for one in self.issues if match and one.id == match[1] and "BROWSE_PROJECTS" in self.may), None
        )
        if match is None or found is None:
            return 404, {
                "errorMessages": ["Issue does not exist or you do not have permission to see it."],
                "errors": {},
            }
        return self._issue(found, match[2], method, query, body)

    def _search(self, query: dict[str, str]) -> tuple[int, Any]:
        match = JQL.fullmatch(query["jql"])
        if match is None:
            return 400, {"errorMessages": ["Error in the JQL Query."], "errors": {}}
        if match[1] != self.project:
            text = f"The value '{match[1]}' does not exist for the field 'project'."
            return 400, {"errorMessages": [text], "errors": {}}
        seen = "BROWSE_PROJECTS" in self.may
        found = [one.shown() for one in self.issues if seen and one.indexed and match[2] in one.fields["labels"]]
        return 200, {"issues": found, **({"isLast": True} if self.cloud else {"startAt": 0, "total": len(found)})}

    def _create(self, fields: dict[str, Any]) -> tuple[int, Any]:
        if self.required and self.required not in fields:
            return 400, {"errorMessages": [], "errors": {self.required: f"{self.required} is required."}}
        if any(" " in one for one in fields["labels"]) or len(fields["summary"]) > 255 or "\n" in fields["summary"]:
            return 400, {"errorMessages": [], "errors": {"summary": "The summary is invalid."}}
        made = Issue(str(len(self.issues) + 1), fields, indexed=self.indexing)
        self.issues.append(made)
        return 201, {"id": made.id, "key": made.key, "self": f"{self.url}/rest/api/2/issue/{made.id}"}

    def _issue(self, found: Issue, part: str | None, method: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        if part is None:
            return 200, found.shown()
        if part == "comment" and method == "POST":
            found.comments.append(body["body"])
            return 201, {"id": str(len(found.comments)), "body": body["body"]}
        if part == "comment":
            start, most = int(query["startAt"]), int(query["maxResults"])
            shown = [{"body": one} for one in reversed(found.comments)][start : start + most]
            return 200, {"comments": shown, "startAt": start, "total": len(found.comments)}
        moves = list(WORKFLOW[found.status].items())
        if method == "GET":
            return 200, {
                "transitions": [{"id": str(n), "name": a, "to": {"name": b}} for n, (a, b) in enumerate(moves)]
            }
        if found.fields.get("locked"):
            return 400, {"errorMessages": [], "errors": {"resolution": "Resolution is required."}}
        found.status = moves[int(body["transition"]["id"])][1]
        return 204, None

    def logged_in(self, header: str | None) -> bool:
        if self.login is None:
            return header == f"Bearer {self.token}"
        return header == f"Basic {base64.b64encode(f'{self.login}:{self.token}'.encode()).decode()}"


@contextmanager
def jira_server(certificate: tuple[Path, Path] | None = None, **how: Any) -> Iterator[Jira]:
    """A server for the length of the block. certificate: files of it and of its key, to serve over TLS."""
    kept = Jira(**how)

    class Handler(QuietHandler):
        def _do(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            parts = urlsplit(self.path)
            path = parts.path.removeprefix("/rest/api/2/")
            kept.asked.append(f"{self.command} {path}")
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            instead = kept.answer(len(kept.asked), self.command, path)
            status, more = instead if isinstance(instead, tuple) else (instead, {})
            if status is None or status == LOST:
                right = kept.logged_in(self.headers.get("Authorization"))
                lost = status == LOST
                status, content = kept.handle(self.command, path, query, body) if right else (401, "Unauthorized")
                if lost:
                    self.close_connection = True
                    return
            else:
                content = {"errorMessages": [f"status {status}"], "errors": {}}
            data = b"" if content is None else json.dumps(content).encode()
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = _do

    with serving(Handler, certificate) as kept.url:
        yield kept
