"""What is published: takes a home, gives its days and their documents. Names from a URL are checked first."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from kafka_fleet.knowledge.briefs import brief_path, stored_brief
from kafka_fleet.knowledge.plots import plots_path
from kafka_fleet.store.files import names
from kafka_fleet.store.generations import current, day
from kafka_fleet.store.versions import NewerVersion, document

_CLUSTER = re.compile(r"[a-z0-9-]{1,63}|entry [0-9]{1,6}")
Json = dict[str, Any]


class NotPublished(LookupError):
    """There is no such day, cluster or document; one sentence."""


def _what(path: Path) -> str:
    """A document in words: its place below the home's stage."""
    return "/".join(path.parts[-4:])


@lru_cache(maxsize=256)
def _parsed(path: Path) -> Json:
    """A document of a generation; those never change."""
    found: Json = document(path.read_bytes(), _what(path))
    return found


class Published:
    """Readers of one home; every answer is of the generation that the day's pointer names now."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def days(self) -> list[str]:
        """Judged days, the latest first."""
        found = [name.removeprefix("ds=") for name in names(self.home / "findings")]
        return sorted((one for one in found if re.fullmatch(r"\d{4}-\d{2}-\d{2}", one)), reverse=True)

    def generation(self, ds: str) -> str:
        """The one that readers follow. Raises NotPublished."""
        try:
            found = current(self.home / f"findings/ds={day(ds)}")
        except ValueError as error:
            raise NotPublished(str(error)) from error
        if found is None:
            raise NotPublished(f"{ds} is not judged")
        return found

    def summary(self, ds: str) -> dict[str, Json] | None:
        """Each cluster's row of a day; None where the day was judged by a version that wrote none, or another."""
        try:
            return self._read(ds, "summary.json")["clusters"]  # type: ignore[no-any-return]
        except (NotPublished, NewerVersion):
            return None

    def dossier(self, ds: str, cluster: str) -> Json:
        """What a cluster's letter is written from. Raises NotPublished."""
        return self._read(ds, f"clusters/{known_cluster(cluster)}.json")

    def brief(self, ds: str, cluster: str) -> Json | None:
        """A cluster's judgement of a day in brief; None where there is none."""
        try:
            generation = self.generation(ds)
            return _parsed(brief_path(self.home, ds, generation, known_cluster(cluster)))
        except NotPublished:
            return None
        except FileNotFoundError:
            return stored_brief(self.home, ds, generation, cluster)

    def plots(self, ds: str, cluster: str) -> Json | None:
        """What can be drawn of a cluster's day; None where the day was judged by a version that wrote none."""
        try:
            content = plots_path(self.home, ds, self.generation(ds), known_cluster(cluster)).read_bytes()
        except FileNotFoundError:
            return None
        # tens of thousands of numbers: not kept for the next reader
        found: Json = document(content, f"the plots of {cluster} on {ds}")
        return found

    def run(self, ds: str) -> Json | None:
        """The Airflow run that judged the day; None where that was the command line."""
        try:
            return _parsed(self.home / f"runs/ds={day(ds)}/{self.generation(ds)}.json")
        except FileNotFoundError:
            return None

    def letter(self, ds: str, cluster: str) -> bytes | None:
        """A cluster's letter in HTML; None where it could not be written."""
        generation = self.generation(ds)
        try:
            return (self.home / f"reports/ds={day(ds)}/{generation}/{known_cluster(cluster)}.html").read_bytes()
        except FileNotFoundError:
            return None

    def _read(self, ds: str, name: str) -> Json:
        try:
            return _parsed(self.home / f"findings/ds={day(ds)}/{self.generation(ds)}/{name}")
        except FileNotFoundError as error:
            raise NotPublished(f"{ds} has no {name.rpartition('/')[2].removesuffix('.json')}") from error
        except NewerVersion:
            raise
        except ValueError as error:
            raise NotPublished(str(error)) from error


def known_cluster(cluster: str) -> str:
    """The name, if it can be one of a cluster or of a fleet file's entry. Raises NotPublished."""
    if not _CLUSTER.fullmatch(cluster):
        raise NotPublished("there is no cluster of that name")
    return cluster
