"""Where else than by mail a cluster's findings go: the `notify` list of its entry in the fleet file."""

from typing import Annotated

from kafka_fleet.config.field_types import ConnectionId, Strict, checked
from kafka_fleet.domain import VERDICT_RANK

KINDS = ("webhook", "teams", "slack", "pagerduty")
LEVELS = ("confirmed", "look_alike", "exposed")


def _kind_problem(text: str) -> str | None:
    return None if text in KINDS else f"must be one of {', '.join(KINDS)}"


def _level_problem(text: str) -> str | None:
    return None if text in LEVELS else f"must be one of {', '.join(LEVELS)}"


class Channel(Strict):
    """One channel. The connection has its address and its secret; neither is ever in the fleet file.

    at_least: the mildest verdict that is told.
    """

    via: Annotated[str, checked(_kind_problem)]
    connection: ConnectionId
    at_least: Annotated[str, checked(_level_problem)] = "confirmed"

    @property
    def name(self) -> str:
        """What the outbox calls it."""
        return f"{self.via}:{self.connection}"

    @property
    def floor(self) -> int:
        """The rank of the mildest verdict that is told."""
        return VERDICT_RANK[self.at_least]
