"""Where what is of no day lies in a home: replays, packs of knowledge, issues of trackers. Takes it, gives paths."""

from dataclasses import dataclass
from pathlib import Path

from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import POINTER


@dataclass(frozen=True)
class Replay:
    """The documents of a replay, beside the stages that it has as a home has them."""

    results: Path

    @property
    def asked(self) -> Path:
        """What was asked for."""
        return self.results / "replay.json"

    @property
    def timelines(self) -> Path:
        """What became of it."""
        return self.results / "timelines.json"


@dataclass(frozen=True)
class Packs:
    """The packs of knowledge of a home."""

    root: Path

    @property
    def folder(self) -> Path:
        """All of them."""
        return self.root / "knowledge"

    @property
    def pointer(self) -> Path:
        """Which one is used."""
        return self.folder / POINTER

    def pack(self, version: str) -> Path:
        """One pack."""
        return self.folder / version


def issues_of(home: Path, channel: str) -> Path:
    """The issues that a channel opened in a tracker, of all days."""
    return Home(home).stage("outbox") / f"_issues-{channel}.json"
