"""Where else than by mail a cluster's findings go: the `notify` list of its entry in the fleet file."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from kafka_fleet.config.field_types import ConnectionId, Strict, checked
from kafka_fleet.domain import VERDICT_RANK

KINDS = ("webhook", "teams", "slack", "pagerduty", "jira")
LEVELS = ("confirmed", "look_alike", "exposed")


def _kind_problem(text: str) -> str | None:
    return None if text in KINDS else f"must be one of {', '.join(KINDS)}"


def _level_problem(text: str) -> str | None:
    return None if text in LEVELS else f"must be one of {', '.join(LEVELS)}"


def _project_problem(text: str) -> str | None:
    return None if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,79}", text) else "must be the key of a project, such as OPS"


def _name_problem(text: str) -> str | None:
    return None if text.strip() and len(text) <= 100 and text.isprintable() else "must be a name of 1 to 100 characters"


def _label_problem(text: str) -> str | None:
    return None if re.fullmatch(r"[^\s\"\\\x00-\x1f]{1,100}", text) else "must be a label without spaces or quotes"


JiraName = Annotated[str, checked(_name_problem)]


class JiraProject(Strict):
    """Where issues are opened, as Jira calls it. done, reopen: a transition, or the status that one leads to."""

    project: Annotated[str, checked(_project_problem)]
    issue_type: JiraName = "Task"
    labels: list[Annotated[str, checked(_label_problem)]] = Field(default_factory=list, max_length=20)
    done: JiraName | None = None
    reopen: JiraName | None = None


class Channel(Strict):
    """One channel. The connection has its address and its secret; neither is ever in the fleet file.

    at_least: the mildest verdict that is told. jira: of `via: jira`, and of no other.
    """

    via: Annotated[str, checked(_kind_problem)]
    connection: ConnectionId
    at_least: Annotated[str, checked(_level_problem)] = "confirmed"
    jira: JiraProject | None = None

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, entry: Any) -> Any:
        if isinstance(entry, Mapping) and (entry.get("via") == "jira") != ("jira" in entry):
            raise ValueError("via: jira goes with a section `jira`, such as {project: OPS}, and no other does")
        return entry

    @model_serializer(mode="wrap")
    def _as_declared(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without `jira` it is what earlier versions stored."""
        return {key: value for key, value in plain(self).items() if key != "jira" or value is not None}

    @property
    def name(self) -> str:
        """What the outbox calls it."""
        return f"{self.via}:{self.connection}" + (f":{self.jira.project}" if self.jira else "")

    @property
    def floor(self) -> int:
        """The rank of the mildest verdict that is told."""
        return VERDICT_RANK[self.at_least]
