"""Findings as issues: takes a message, opens one issue for each fingerprint, and comments on it from then on.

Everything is looked for before it is written: the issue by its id, else by its label; a comment, or the description,
by the reference that it carries. So a try whose answer was lost is simply made again.
"""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from kafka_fleet.config.channels import JiraProject
from kafka_fleet.notify.jira_client import JiraClient, JiraError
from kafka_fleet.notify.jira_ledger import Ledger, LedgerError
from kafka_fleet.notify.jira_text import comment, description, label, reference, summary
from kafka_fleet.notify.message import Event, Message
from kafka_fleet.notify.outcome import Outcome
from kafka_fleet.report.sanitize import shorten

log = logging.getLogger(__name__)
LABEL = "kafka-fleet-health"
LONGEST = 1200.0  # s for all events of a message, well below the lease
PAGE, PAGES = 100, 10  # comments that are looked through, the latest first
OPENING = ("BROWSE_PROJECTS", "CREATE_ISSUES")  # who may open issues and not see them would open one every day
TELLING, MOVING = (*OPENING, "ADD_COMMENTS"), "TRANSITION_ISSUES"
_FIELDS = "status,description"


class Issue(NamedTuple):
    """One that is there. done: its status is of the category done."""

    id: str
    key: str
    status: str
    done: bool
    description: str


def tell_jira(
    client: JiraClient,
    project: JiraProject,
    ledger: Ledger,
    message: Message,
    identity: str,
    clock: Callable[[], datetime],
) -> Outcome:
    """Tell Jira of each event. What was done before something failed is found again by the next try."""
    desk = _Desk(client, project, ledger, message, identity, clock)
    began, notes = time.monotonic(), []
    for event in message.events:
        if time.monotonic() - began > LONGEST:
            return Outcome("deferred", f"Jira is slow: after {LONGEST:g} s the next try tells the rest")
        try:
            notes += list(desk.tell(event))
        except JiraError as error:
            return Outcome("refused" if error.verdict == "refused" else "deferred", f"{event.finding}: {error}")
        except LedgerError as error:
            return Outcome("refused", str(error))
    return Outcome("sent", "; ".join(notes), "; ".join(notes))


def require_permissions(client: JiraClient, project: JiraProject, names: tuple[str, ...]) -> None:
    """Ask whether the account has them in the project. Raises JiraError, a sentence with those that it lacks."""
    query = {"projectKey": project.project, "permissions": ",".join(names)}
    found = _dict(client.ask("GET", "mypermissions", "the question for permissions", query=query), "permissions")
    missing = [name for name in names if _dict(found, name).get("havePermission") is not True]
    if missing:
        raise JiraError(
            "refused", f"the account of the connection lacks {' and '.join(missing)} in project {project.project}"
        )


class _Desk(NamedTuple):
    client: JiraClient
    project: JiraProject
    ledger: Ledger
    message: Message
    identity: str
    clock: Callable[[], datetime]

    def tell(self, event: Event) -> Iterator[str]:
        """Do what the event asks for; gives what was done, in words."""
        issue, mark = self._find(event), reference(self.identity, event)
        if issue is None:
            # to whom may not see it, Jira says that it is not there
            require_permissions(self.client, self.project, OPENING)
            if event.action == "open":
                yield f"{self._open(event, mark)} is opened"
            return
        if mark not in issue.description and not self._has_comment(issue, mark):
            body = {"body": comment(event, self.message, mark, issue.done)}
            self.client.ask("POST", f"issue/{issue.id}/comment", f"a comment on {issue.key}", body)
            yield f"{issue.key} has a comment"
        wanted = {"open": self.project.reopen, "close": self.project.done}.get(event.action)
        if wanted and issue.done == (event.action == "open"):
            yield self._move(issue, wanted)

    def _find(self, event: Event) -> Issue | None:
        known = self.ledger.issue(event.fingerprint)
        if known and (issue := self._issue(known)):
            return issue
        jql = f'project = "{self.project.project}" AND labels = "{label(event.fingerprint)}" ORDER BY created ASC'
        query = {"jql": jql, "fields": "status", "maxResults": "10"}
        try:
            found = self.client.ask("GET", "search/jql", "the search for its issue", query=query)
        except JiraError as error:
            if error.status not in (404, 405):
                raise
            found = self.client.ask("GET", "search", "the search for its issue", query=query)  # Data Center
        for one in _list(found, "issues"):  # the oldest: a clone has the same labels
            if issue := self._issue(str(one.get("id"))):
                self.ledger.keep(event.fingerprint, issue.id, self.clock())
                return issue
        return None

    def _issue(self, name: str) -> Issue | None:
        """As it is now; what a search says of it may be old. None: it is gone."""
        try:
            found = self.client.ask("GET", f"issue/{name}", "the look at its issue", query={"fields": _FIELDS})
        except JiraError as error:
            if error.status == 404:
                return None
            raise
        fields = _dict(found, "fields")
        status = _dict(fields, "status")
        done = _dict(status, "statusCategory").get("key") == "done"
        text = fields.get("description")
        key = shorten(str(found.get("key")), 60)
        shown = shorten(str(status.get("name")), 60)
        return Issue(str(found.get("id")), key, shown, done, text if isinstance(text, str) else "")

    def _open(self, event: Event, mark: str) -> str:
        until = self.ledger.begin(event.fingerprint, self.clock())
        if until:
            raise JiraError("deferred", f"an issue may just have been opened; it is looked for after {until:%H:%M} UTC")
        fields = {
            "project": {"key": self.project.project},
            "issuetype": {"name": self.project.issue_type},
            "summary": summary(event, self.message),
            "description": description(event, self.message, mark),
            "labels": list(dict.fromkeys([label(event.fingerprint), LABEL, *self.project.labels])),
        }
        try:
            made = self.client.ask("POST", "issue", "the new issue", {"fields": fields})
        except JiraError as error:
            if error.verdict != "unknown" and error.status != 201:
                self.ledger.forget(event.fingerprint)
            raise
        if not (isinstance(made, dict) and isinstance(made.get("id"), str)):
            raise JiraError("deferred", "Jira, the new issue: its answer has no id of it")
        self.ledger.keep(event.fingerprint, made["id"], self.clock())
        return shorten(str(made.get("key")), 60)

    def _has_comment(self, issue: Issue, mark: str) -> bool:
        for page in range(PAGES):
            query = {"startAt": str(page * PAGE), "maxResults": str(PAGE), "orderBy": "-created"}
            found = self.client.ask("GET", f"issue/{issue.id}/comment", f"the look at {issue.key}", query=query)
            comments = _list(found, "comments")
            if any(mark in str(one.get("body")) for one in comments):
                return True
            if len(comments) < PAGE:
                break
        return False

    def _move(self, issue: Issue, wanted: str) -> str:
        """What a workflow does not allow is said, and no failure: the comment is there."""
        path = f"issue/{issue.id}/transitions"
        offered = _list(self.client.ask("GET", path, f"the look at {issue.key}"), "transitions")
        for one in offered:
            if wanted.casefold() in (str(one.get("name")).casefold(), str(_dict(one, "to").get("name")).casefold()):
                break
        else:
            names = shorten(", ".join(str(one.get("name")) for one in offered), 200) or "none"
            return self._stays(issue, f"it has no transition {wanted}, but {names}")
        try:
            self.client.ask("POST", path, f"the transition {wanted}", {"transition": {"id": str(one.get("id"))}})
        except JiraError as error:
            if error.verdict != "refused":
                raise
            return self._stays(issue, str(error))
        return f"{issue.key} is moved: {wanted}"

    def _stays(self, issue: Issue, why: str) -> str:
        sentence = f"{issue.key} stays {issue.status}: {why}"
        log.warning("%s: %s", self.message.cluster, sentence)
        return sentence


def _dict(of: Any, name: str) -> dict[str, Any]:
    found = of.get(name) if isinstance(of, dict) else None
    return found if isinstance(found, dict) else {}


def _list(of: Any, name: str) -> list[dict[str, Any]]:
    found = of.get(name) if isinstance(of, dict) else None
    if not isinstance(found, list):  # "none" would open another issue
        raise JiraError("refused", f"what answers there is no Jira: it gives no list of {name}")
    return [one for one in found if isinstance(one, dict)]
