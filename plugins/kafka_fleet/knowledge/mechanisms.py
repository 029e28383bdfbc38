"""How a symptom comes about: takes mechanism.yaml of a signature's folder, gives who does what, from top to bottom."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kafka_fleet.base.catalogue_faults import model_faults
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.yaml import FleetFileError, load_catalogue
from kafka_fleet.knowledge.catalogue_folders import CatalogueError

FILE = "mechanism.yaml"
Kind = Literal["normal", "fault", "wait", "healthy", "missing"]


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
    actors: dict[str, str] = Field(min_length=2, max_length=4)
    steps: list[Step] = Field(min_length=3, max_length=10)

    @model_validator(mode="after")
    def _known(self) -> "Mechanism":
        used = {name for step in self.steps for name in step.actors}
        if unknown := sorted(used - set(self.actors)):
            raise ValueError(f"no such actor: {', '.join(unknown)}")
        if idle := sorted(set(self.actors) - used):
            raise ValueError(f"an actor without a step: {', '.join(idle)}")
        return self


def _load(file: Path) -> Mechanism:
    content = None
    try:
        content = load_catalogue(file)
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
