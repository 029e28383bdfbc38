"""How a fault comes about: takes a signature's mechanism.yaml or a known issue's `picture`, gives who does what."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kafka_fleet.base.catalogue_faults import model_faults
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.yaml import FleetFileError, load_yaml
from kafka_fleet.knowledge.catalogue_folders import CatalogueError

FILE = "mechanism.yaml"
MOST_ACTORS, LEAST_STEPS, MOST_STEPS = 4, 3, 10
Kind = Literal["normal", "fault", "wait", "healthy", "missing"]


# who may take part in the picture of a known issue, from left to right in the order in which they come; and their names
ACTORS = {
    "admin": "Administrator",
    "app": "Application",
    "assignor": "Assigning member",
    "attacker": "Attacker",
    "broker": "Broker",
    "changelog": "Changelog topic",
    "cleaner": "Log cleaner",
    "client": "Client",
    "connect": "Connect worker",
    "consumer": "Consumer",
    "controller": "Controller",
    "coordinator": "Group coordinator",
    "dashboard": "Dashboard",
    "disk": "Disk",
    "follower": "Follower",
    "former_transactions": "Former coordinator",
    "handler": "Request handler",
    "index": "Index of the segment",
    "leader": "Leader",
    "log": "Log",
    "member": "Group member",
    "network": "Network thread",
    "new_controller": "New controller",
    "new_coordinator": "New coordinator",
    "new_leader": "New leader",
    "newer_broker": "Newer broker",
    "old_line": "Old release line",
    "older_broker": "Older broker",
    "other_handler": "Another handler",
    "other_member": "Another member",
    "other_producer": "Another producer",
    "partition": "Next partition",
    "producer": "Producer",
    "remote": "Remote storage",
    "sender": "Sending thread",
    "server": "Named server",
    "slow_leader": "Slow leader",
    "store": "State store",
    "streams": "Streams thread",
    "supported_line": "Supported line",
    "task": "Streams task",
    "transactions": "Coordinator",
    "trunk": "Trunk",
    "voters": "Other controllers",
    "watcher": "Feature watcher",
    "zookeeper": "ZooKeeper",
}


class Step(BaseModel):
    """One line of the picture: a message from one actor to another, or what happens at one.

    kind: fault is what goes wrong, missing a message that never comes, healthy what happens where there is no fault.
    """

    model_config = ConfigDict(extra="forbid")
    sender: str | None = Field(default=None, alias="from")
    to: str | None = None
    at: str | None = None
    says: str = Field(min_length=3, max_length=80)
    kind: Kind = "normal"

    @model_validator(mode="after")
    def _placed(self) -> "Step":
        message = self.sender is not None and self.to is not None and self.at is None
        if not message and (self.at is None or self.sender is not None or self.to is not None):
            raise ValueError("a step is either at one actor, or from one to another")
        if self.sender is not None and self.sender == self.to:
            raise ValueError("a message goes to another actor")
        return self

    @property
    def actors(self) -> tuple[str, ...]:
        """Those it concerns."""
        return tuple(one for one in (self.sender, self.to, self.at) if one is not None)

    @property
    def bold(self) -> bool:
        """Whether it stands out."""
        return self.kind in ("fault", "missing")


class Mechanism(BaseModel):
    """The picture: a sentence, the actors from left to right with their names, and the steps from top to bottom."""

    model_config = ConfigDict(extra="forbid")
    about: str = Field(min_length=20, max_length=160, pattern=r"[.]$")
    actors: dict[str, str] = Field(min_length=2, max_length=MOST_ACTORS)
    steps: list[Step] = Field(min_length=LEAST_STEPS, max_length=MOST_STEPS)

    @model_validator(mode="after")
    def _known(self) -> "Mechanism":
        used = {name for step in self.steps for name in step.actors}
        if unknown := sorted(used - set(self.actors)):
            raise ValueError(f"no such actor: {', '.join(unknown)}")
        if idle := sorted(set(self.actors) - used):
            raise ValueError(f"an actor without a step: {', '.join(idle)}")
        return self


def issue_mechanism(about: str, steps: Sequence[Step]) -> Mechanism:
    """The picture of a known issue. about: a sentence without its full stop. Raises ValueError."""
    named = list(dict.fromkeys(name for step in steps for name in step.actors))
    if unknown := [name for name in named if name not in ACTORS]:
        raise ValueError(f"no such actor: {', '.join(unknown)}; known: {', '.join(ACTORS)}")
    if not (2 <= len(named) <= MOST_ACTORS and LEAST_STEPS <= len(steps) <= MOST_STEPS):
        raise ValueError(f"has 2 to {MOST_ACTORS} actors and {LEAST_STEPS} to {MOST_STEPS} steps")
    return Mechanism(about=f"{about}.", actors={name: ACTORS[name] for name in named}, steps=list(steps))


def _load(file: Path) -> Mechanism:
    content = None
    try:
        content = load_yaml(file)
        return Mechanism.model_validate(content)
    except FleetFileError as error:
        raise CatalogueError(str(error)) from error
    except ValidationError as error:
        raise CatalogueError("\n".join(model_faults(file, content, Mechanism, error))) from error


@cache
def load_mechanisms(folder: Path | None = None) -> dict[str, Mechanism]:
    """The mechanism of every signature that has one, by its id, sorted. Raises CatalogueError."""
    root = (folder or sql_dir()) / "signatures"
    if not root.is_dir():
        raise CatalogueError(f"{root} is no folder")
    return {file.parent.name: _load(file) for file in sorted(root.glob(f"*/{FILE}"))}
