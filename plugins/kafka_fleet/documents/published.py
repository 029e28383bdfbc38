"""What is published: takes a home, gives its days and their documents. Names from a URL are checked first."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, cast

from pydantic import ValidationError

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.day_summaries import day_summary_path, stored_day_summary
from kafka_fleet.documents.document import Document, Text
from kafka_fleet.documents.plots import Plots, plots_path
from kafka_fleet.documents.summary import ClusterSummary, DaySummary, FleetSummary
from kafka_fleet.store.files import list_names
from kafka_fleet.store.generations import checked_day, current_generation
from kafka_fleet.store.versions import NewerVersion, document

log = logging.getLogger(__name__)
_CLUSTER = re.compile(r"[a-z0-9-]{1,63}|entry [0-9]{1,6}")
Kind = TypeVar("Kind", bound=Document)


class JudgingRun(Document):
    """The Airflow run that judged a day."""

    dag_id: Text
    run_id: Text
    late: bool = False


class NotPublished(LookupError):
    """There is no such day, cluster or document; one sentence."""

    status = 404


class Damaged(NotPublished):
    """A document that is there and cannot be read; one sentence."""

    status = 409


def _what(path: Path) -> str:
    """A document in words: its place below the home's stage."""
    stage = max(place for place, part in enumerate(path.parts) if part.startswith("ds=")) - 1
    return "/".join(path.parts[stage:])


@lru_cache(maxsize=256)
def _parsed(path: Path, kind: type[Document]) -> Document:
    """A document of a generation; those never change. Raises as _checked, and FileNotFoundError."""
    return _checked(path.read_bytes(), kind, _what(path))


def _document(path: Path, kind: type[Kind]) -> Kind:
    """The same, of the model that is asked for."""
    return cast(Kind, _parsed(path, kind))


def _checked(content: bytes, kind: type[Kind], what: str) -> Kind:
    """A document with all that its model asks for. Raises Damaged, NewerVersion."""
    try:
        return kind.model_validate(document(content, what))
    except NewerVersion:
        raise
    except ValidationError as error:
        raise Damaged(f"{what} is damaged: it is not what it should be") from error
    except ValueError as error:
        raise Damaged(f"{what} is damaged ({type(error).__name__})") from error


class Published:
    """Readers of one home; every answer is of the generation that the day's pointer names now."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def days(self) -> list[str]:
        """Judged days, the latest first."""
        found = [name.removeprefix("ds=") for name in list_names(self.home / "findings")]
        return sorted((one for one in found if re.fullmatch(r"\d{4}-\d{2}-\d{2}", one)), reverse=True)

    def generation(self, ds: str) -> str:
        """The one that readers follow. Raises NotPublished."""
        try:
            found = current_generation(self.home / f"findings/ds={checked_day(ds)}")
        except ValueError as error:
            raise NotPublished(str(error)) from error
        if found is None:
            raise NotPublished(f"{ds} is not judged")
        return found

    def summary(self, ds: str) -> dict[str, ClusterSummary] | None:
        """Each cluster's row of a day; None where the day was judged by a version that wrote none, or another.

        Raises Damaged.
        """
        try:
            return self._read(ds, "summary.json", FleetSummary).clusters
        except Damaged:
            raise
        except (NotPublished, NewerVersion):
            return None

    def cluster_report(self, ds: str, cluster: str) -> ClusterReport:
        """What a cluster's letter is written from. Raises NotPublished."""
        return self._read(ds, f"clusters/{known_cluster(cluster)}.json", ClusterReport)

    def day_summary(self, ds: str, cluster: str) -> DaySummary | None:
        """A cluster's judgement of a day in brief; None where there is none. Raises Damaged."""
        what = f"the judgement of {cluster} on {ds}"
        try:
            generation = self.generation(ds)
            path = day_summary_path(self.home, ds, generation, known_cluster(cluster))
        except NotPublished:
            return None
        try:
            return _document(path, DaySummary)
        except FileNotFoundError:
            pass
        try:
            return stored_day_summary(self.home, ds, generation, cluster)
        except NewerVersion:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{what} is damaged ({type(error).__name__})") from error

    def plots(self, ds: str, cluster: str) -> Plots | None:
        """What can be drawn of a cluster's day; None where the day was judged by a version that wrote none."""
        try:
            content = plots_path(self.home, ds, self.generation(ds), known_cluster(cluster)).read_bytes()
        except FileNotFoundError:
            return None
        # tens of thousands of numbers: not kept for the next reader
        return _checked(content, Plots, f"the plots of {cluster} on {ds}")

    def run(self, ds: str) -> JudgingRun | None:
        """The Airflow run that judged the day; None where that was the command line."""
        try:
            return _document(self.home / f"runs/ds={checked_day(ds)}/{self.generation(ds)}.json", JudgingRun)
        except FileNotFoundError:
            return None

    def letter(self, ds: str, cluster: str) -> bytes | None:
        """A cluster's letter in HTML; None where it could not be written."""
        generation = self.generation(ds)
        try:
            return (self.home / f"reports/ds={checked_day(ds)}/{generation}/{known_cluster(cluster)}.html").read_bytes()
        except FileNotFoundError:
            return None

    def _read(self, ds: str, name: str, kind: type[Kind]) -> Kind:
        try:
            return _document(self.home / f"findings/ds={checked_day(ds)}/{self.generation(ds)}/{name}", kind)
        except FileNotFoundError as error:
            raise NotPublished(f"{ds} has no {name.rpartition('/')[2].removesuffix('.json')}") from error
        except NewerVersion:
            raise
        except ValueError as error:  # of a day that is none
            raise NotPublished(str(error)) from error


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Let documents be shown that have all that a page reads of them. Raises Damaged where one has not."""
    try:
        yield
    except NewerVersion:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        log.exception("%s cannot be shown", what)
        raise Damaged(f"{what} cannot be shown: a document of it is damaged ({type(error).__name__})") from error


def known_cluster(cluster: str) -> str:
    """The name, if it can be one of a cluster or of a fleet file's entry. Raises NotPublished."""
    if not _CLUSTER.fullmatch(cluster):
        raise NotPublished("there is no cluster of that name")
    return cluster
