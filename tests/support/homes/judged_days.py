"""Judged days that real brokers gave (tests/data/days): gives what each is of, its documents and its letter.

`python -m support.live.record_days` records them: an archive per cluster, a home with findings, signatures and runs.
"""

import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.mail.published_letter import JudgedDay, read_judged
from kafka_fleet.report.render import publish, write_letter
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import days_in
from support.homes.golden_homes import extract

FOLDER = Path(__file__).resolve().parents[2] / "data" / "days"
MOST_BYTES = 2_000_000  # of all archives together: some 40 kB each


@dataclass(frozen=True)
class RecordedDay:
    """One line of days.yaml. finding: its key; None where nothing may have been measured.

    looks_like: key of the finding that an owner could take it for, and that it is not; None where it is what it is.
    """

    cluster: str
    signature: str | None
    happened: str
    finding: str | None
    verdict: str
    reader: str
    looks_like: str | None = None

    @property
    def archive(self) -> Path:
        """Where its documents are."""
        return FOLDER / f"{self.cluster}.tar.xz"


class Place(NamedTuple):
    """A day and its generation."""

    ds: str
    generation: str


@cache
def recorded_days() -> dict[str, RecordedDay]:
    """Every day by its cluster, in the order of the file. Raises TypeError for a line with other keys."""
    content = yaml.load((FOLDER / "days.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    return {cluster: RecordedDay(cluster, **line) for cluster, line in content.items()}


def place_in(home: Path) -> Place:
    """The one day that a home has. Raises ValueError where it has none or several, or nothing is published."""
    (ds,) = days_in(home / "findings")
    generation = current_generation(Home(home).day(ds).findings)
    if generation is None:
        raise ValueError(f"nothing is published for {ds}")
    return Place(ds, generation)


def open_day(day: RecordedDay, home: Path) -> JudgedDay:
    """Unpack a day into an empty home, and write its report by today's code: it is as before its mail goes out."""
    with tarfile.open(day.archive) as archive:
        extract(archive, home)
    ds, generation = place_in(home)
    write_letter(home, ds, generation, day.cluster)
    publish(home, ds, generation)
    return read_judged(home, ds, day.cluster, generation, Acknowledgements([], []))
