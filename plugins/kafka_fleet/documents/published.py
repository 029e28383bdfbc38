"""What is published: takes a home, gives its days and their documents. Names from a URL are checked first."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, cast

from pydantic import ValidationError

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.day_summaries import stored_day_summary
from kafka_fleet.documents.document import Document, Text
from kafka_fleet.documents.finding import Finding, is_proven, parsed_findings
from kafka_fleet.documents.plots import Plots
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.documents.summary import ClusterSummary, DaySummary, FleetSummary
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home, HomeGeneration
from kafka_fleet.store.home_names import below_home, days_in
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


@lru_cache(maxsize=256)
def _parsed(path: Path, kind: type[Document]) -> Document:
    """A document of a generation; those never change. Raises as _checked, and FileNotFoundError."""
    return _checked(path.read_bytes(), kind, below_home(path))


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


@lru_cache(maxsize=64)
def _findings(path: Path, cluster: str) -> tuple[Finding, ...]:
    """One cluster's findings of a generation's list: of the others nothing is made. Raises Damaged, NewerVersion."""
    what = below_home(path)
    try:
        rows = document(path.read_bytes(), what)
        return tuple(parsed_findings([one for one in rows if one["cluster"] == cluster]))
    except NewerVersion:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{what} is damaged ({type(error).__name__})") from error


@lru_cache(maxsize=512)
def _rolls(path: Path) -> tuple[RollReport, ...] | None:
    """The rolls of a stored report, without the rest of it. Raises Damaged, NewerVersion, FileNotFoundError."""
    what = below_home(path)
    try:
        rows = document(path.read_bytes(), what).get("rolls")
        return None if rows is None else tuple(RollReport.model_validate(one) for one in rows)
    except NewerVersion:
        raise
    except (ValueError, AttributeError, TypeError) as error:
        raise Damaged(f"{what} is damaged ({type(error).__name__})") from error


class Published:
    """Readers of one home; every answer is of the generation that the day's pointer names now."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def days(self) -> list[str]:
        """Judged days, the latest first."""
        return days_in(Home(self.home).stage("findings"))[::-1]

    def generation(self, ds: str) -> str:
        """The one that readers follow. Raises NotPublished."""
        try:
            found = current_generation(Home(self.home).day(ds).findings)
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
            return self._read(ds, lambda of: of.summary, FleetSummary).clusters
        except Damaged:
            raise
        except (NotPublished, NewerVersion):
            return None

    def cluster_report(self, ds: str, cluster: str) -> ClusterReport:
        """What a cluster's letter is written from. Raises NotPublished."""
        name = known_cluster(cluster)
        return self._read(ds, lambda of: of.cluster(name), ClusterReport)

    def light_report(self, ds: str, cluster: str) -> ClusterReport | None:
        """The same without its signatures, of one cluster among many: not kept. None where there is none to be read."""
        try:
            content = document(self._of(ds).cluster(known_cluster(cluster)).read_bytes(), f"{cluster} of {ds}")
            return ClusterReport.model_validate({**content, "signatures": []})
        except NewerVersion:
            raise
        except (NotPublished, OSError, ValueError, TypeError):
            return None

    def day_summary(self, ds: str, cluster: str) -> DaySummary | None:
        """A cluster's judgement of a day in brief; None where there is none. Raises Damaged."""
        what = f"the judgement of {cluster} on {ds}"
        try:
            generation = self.generation(ds)
            path = Home(self.home).generation(ds, generation).verdict(known_cluster(cluster))
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

    def findings(self, ds: str, cluster: str) -> list[Finding]:
        """A cluster's findings with their evidence; none where the day has none of it. Raises NotPublished."""
        try:
            return list(_findings(self._of(ds).finding_list, known_cluster(cluster)))
        except FileNotFoundError as error:
            raise NotPublished(f"{ds} has no findings") from error

    def known_rolls(self, ds: str, cluster: str) -> tuple[RollReport, ...] | None:
        """The rolls of a cluster's day; None where it has no report of it, or one that names none or cannot be read."""
        try:
            return _rolls(self._of(ds).cluster(known_cluster(cluster)))
        except (FileNotFoundError, NotPublished, NewerVersion):
            return None

    def proven(self, ds: str) -> dict[str, list[Finding]]:
        """What is proven on a day, with its evidence, by cluster; none where the list cannot be read. Not kept."""
        path = self._of(ds).finding_list
        try:
            rows = document(path.read_bytes(), below_home(path))
            sick = parsed_findings([one for one in rows if is_proven(one)])
        except NewerVersion:
            raise
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        found: dict[str, list[Finding]] = {}
        for one in sick:
            found.setdefault(one.cluster, []).append(one)
        return found

    def plots(self, ds: str, cluster: str) -> Plots | None:
        """What can be drawn of a cluster's day; None where the day was judged by a version that wrote none."""
        try:
            content = self._of(ds).plots(known_cluster(cluster)).read_bytes()
        except FileNotFoundError:
            return None
        # tens of thousands of numbers: not kept for the next reader
        return _checked(content, Plots, f"the plots of {cluster} on {ds}")

    def run(self, ds: str) -> JudgingRun | None:
        """The Airflow run that judged the day; None where that was the command line."""
        try:
            return _document(self._of(ds).run, JudgingRun)
        except FileNotFoundError:
            return None

    def letter(self, ds: str, cluster: str) -> bytes | None:
        """A cluster's letter in HTML; None where it could not be written."""
        of = self._of(ds)
        try:
            return of.letter(known_cluster(cluster), "html").read_bytes()
        except FileNotFoundError:
            return None

    def _of(self, ds: str) -> HomeGeneration:
        return Home(self.home).generation(ds, self.generation(ds))

    def _read(self, ds: str, document_of: Callable[[HomeGeneration], Path], kind: type[Kind]) -> Kind:
        try:
            path = document_of(self._of(ds))
            return _document(path, kind)
        except FileNotFoundError as error:
            raise NotPublished(f"{ds} has no {path.stem}") from error
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
