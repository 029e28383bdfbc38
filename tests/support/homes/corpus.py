"""The corpus of real days (tests/data/corpus): what brokers told while something was done to them, and what that was.

One archive per scenario of the live tests, a home with the raw of its clusters; labels.yaml says of each cluster what
was done (`happened`), which causes of which signatures that is (`faults`), and which others may be seen of it
(`beside`). Labels come from what was done, never from what was found. `support.live.record_corpus` records it anew.
"""

import shutil
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import days_in
from support.homes.golden_homes import extract, pack

FOLDER = Path(__file__).resolve().parents[2] / "data" / "corpus"
MOST_BYTES = 20_000_000  # of all archives together
Causes = dict[str, list[str]]


@dataclass(frozen=True)
class Label:
    """What was done to a cluster. faults: causes by signature, one of which has to be found."""

    scenario: str
    happened: str
    faults: Causes = field(default_factory=dict)
    beside: Causes = field(default_factory=dict)

    def allows(self, signature: str, cause: str) -> bool:
        """Whether it is true of the cluster."""
        return cause in [*self.faults.get(signature, ()), *self.beside.get(signature, ())]


@cache
def labels() -> dict[str, Label]:
    """By cluster. Raises TypeError for a line with other keys."""
    text = (FOLDER / "labels.yaml").read_text("utf-8")
    content: dict[str, dict[str, dict[str, object]]] = yaml.load(text, yaml.CSafeLoader)
    return {
        cluster: Label(scenario, **line)  # type: ignore[arg-type]
        for scenario, clusters in content.items()
        for cluster, line in clusters.items()
    }


def archive(scenario: str) -> Path:
    """Where the raw of its clusters is."""
    return FOLDER / f"{scenario}.tar.xz"


def open_archive(home: Path, cluster: str) -> None:
    """Lay the raw of a cluster's scenario into a home. Raises KeyError for a cluster that has no label."""
    with tarfile.open(archive(labels()[cluster].scenario)) as packed:
        extract(packed, home)


def clusters_in(home: Path) -> set[str]:
    """The clusters that a home has sweeps of."""
    days = days_in(Home(home).raw_folder("manifests"))
    return {path.name.partition(".")[0] for ds in days for path in Home(home).manifests(ds).glob("*.json")}


def keep(home: Path, scenario: str, own: Iterable[str]) -> None:
    """Write the raw of a scenario's labelled clusters as its archive; the home keeps nothing else."""
    named = set(own)
    for file in [path for path in Home(home).raw.rglob("*") if path.is_file()]:
        if file.name.startswith(".") or file.name.partition(".")[0] not in named:
            file.unlink()
    for other in set(home.iterdir()) - {Home(home).raw}:
        shutil.rmtree(other) if other.is_dir() else other.unlink()
    FOLDER.mkdir(parents=True, exist_ok=True)
    pack(home, archive(scenario))


def open_corpus(home: Path) -> list[str]:
    """Lay every archive into one home; the days that it has then."""
    for path in sorted(FOLDER.glob("*.tar.xz")):
        with tarfile.open(path) as packed:
            extract(packed, home)
    return sorted(days_in(Home(home).raw_folder("manifests")))
