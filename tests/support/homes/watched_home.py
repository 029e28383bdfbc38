"""A home that `kafka-fleet late` watches: what is stored, judged and published in it, and what the command says."""

from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.cli import main as cli
from kafka_fleet.config.fleet import Fleet
from kafka_fleet.store.bucket import address
from kafka_fleet.store.fleet_snapshot import keep_fleet
from kafka_fleet.store.generations import claim_generation, publish
from kafka_fleet.store.raw.landing import land

PLATFORM, OTHER = "platform@example.org", "other@example.org"


class Said(NamedTuple):
    """Exit code, and what was printed."""

    code: int
    out: str
    err: str


class Watch:
    """The home that is watched, and the command."""

    def __init__(self, home: Path, capsys: Any) -> None:
        self.home, self.capsys = home, capsys

    def __call__(self, *options: str) -> Said:
        """Run `kafka-fleet late` on it."""
        code = cli.main(["late", "--home", address(self.home), *options])
        return Said(code, *self.capsys.readouterr())

    def sweep(self, *days: str) -> None:
        """Store a sweep of each day."""
        for ds in days:
            land(self.home, "a", datetime.fromisoformat(f"{ds}T01:00:00Z"), {"sweeps": [{"admin_outcome": "ok"}]})

    def judge(self, ds: str, *stages: str, by_a_run: bool = True) -> str:
        """Publish these stages of a day; its generation."""
        generation = claim_generation(self.home, ds)
        if by_a_run:
            keep_fleet(self.home, ds, generation, Fleet([], []))
        for stage in stages:
            publish(self.home / f"{stage}/ds={ds}", generation)
        return generation
