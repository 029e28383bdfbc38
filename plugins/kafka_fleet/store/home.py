"""Where everything of a home lies: takes its path, gives the path of every folder and file. Nothing else builds one,
but home_beside.py those of what is of no day.

    raw/<table>/ds=D/<cluster>.<sweep>.parquet          rows of a sweep; <cluster>.joined<n>.parquet of several
    raw/manifests/ds=D/<cluster>.<sweep>.json           the commit of a sweep
    raw/joined/ds=D/<cluster>.json                      the commit of sweeps that compaction joined
    raw/latest/<cluster>                                the name of the cluster's last sweep
    raw/retired/ds=D.json                               the commit of a deletion
    facts/<table>/ds=D/<generation>/                    fact tables
    signatures|findings|reports/ds=D/<generation>/      what a run judged and wrote
    <stage>/ds=D/_current.json                          the generation that readers follow
    runs/ds=D/<generation>[.json|.fleet]                the claim of a run, what is noted of it, its fleet
    outbox/ds=D/<cluster>.json, _mailed.json            mails, and that all of them went out
    outbox/_issues-<channel>.json                       issues that were opened in a tracker, by fingerprint
    knowledge/<version>/, _current.json                 packs of knowledge, and which one is used
    replays/<name>/                                     a replay: its documents, and stages as in a home

A path has the type of the home's path, which is another one in a bucket. Names below the home are text.
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from kafka_fleet.store.files import list_names
from kafka_fleet.store.home_names import (
    JOINED,
    MANIFESTS,
    RETIRED,
    Stage,
    checked_day,
    day_folder,
    is_generation,
)


@dataclass(frozen=True)
class Home:
    """A home, or the folder of a replay, which has the same stages."""

    root: Path

    @property
    def raw(self) -> Path:
        """All that was collected."""
        return self.root / "raw"

    def raw_folder(self, name: str) -> Path:
        """The days of a table of raw, or of one of its folders of commits."""
        return self.raw / name

    def raw_day(self, name: str, ds: date | str) -> Path:
        """One day of it."""
        return self.raw / name / day_folder(ds)

    def raw_files(self, ds: date | str) -> list[Path]:
        """All that lies in a day of any folder of raw."""
        return list(self.raw.glob(f"*/{day_folder(ds)}/*"))

    def manifests(self, ds: date | str) -> Path:
        """The manifests of a day."""
        return self.raw_day(MANIFESTS, ds)

    def joined(self, ds: date | str) -> Path:
        """The commits of a day's joined sweeps."""
        return self.raw_day(JOINED, ds)

    def joined_commit(self, ds: date | str, cluster: str) -> Path:
        """That of one cluster."""
        return self.joined(ds) / f"{cluster}.json"

    def latest(self, cluster: str) -> Path:
        """The name of the cluster's last sweep."""
        return self.raw / "latest" / cluster

    @property
    def retired(self) -> Path:
        """The commits of deletions."""
        return self.raw / RETIRED

    def stage(self, stage: Stage) -> Path:
        """The days of a stage; of facts, its tables."""
        return self.root / stage

    def facts(self, table: str) -> Path:
        """The days of a fact table."""
        return self.root / "facts" / table

    def replay(self, name: str) -> Path:
        """The folder of one replay."""
        return self.stage("replays") / name

    def day(self, ds: str) -> "HomeDay":
        """One day. Raises ValueError for what is none."""
        return HomeDay(self, checked_day(ds))

    def generation(self, ds: str, name: str) -> "HomeGeneration":
        """One generation of a day. Raises ValueError for what is no day or no generation."""
        return self.day(ds).generation(name)


@dataclass(frozen=True)
class HomeDay:
    """One day of every stage."""

    home: Home
    ds: str

    def stage(self, stage: Stage) -> Path:
        """The day of a stage: its generations, and the pointer to one of them."""
        return self.home.stage(stage) / day_folder(self.ds)

    @property
    def findings(self) -> Path:
        """What was judged."""
        return self.stage("findings")

    @property
    def signatures(self) -> Path:
        """States and detections."""
        return self.stage("signatures")

    @property
    def reports(self) -> Path:
        """Letters and the fleet page."""
        return self.stage("reports")

    @property
    def runs(self) -> Path:
        """Claims of generations."""
        return self.stage("runs")

    @property
    def outbox(self) -> Path:
        """Mails."""
        return self.stage("outbox")

    def facts(self, table: str) -> Path:
        """A fact table."""
        return self.home.facts(table) / day_folder(self.ds)

    def all_facts(self) -> list[Path]:
        """Every fact table that the home has, of this day or not."""
        return [self.facts(table) for table in list_names(self.home.stage("facts"))]

    def mails(self, name: str) -> Path:
        """Those of a cluster, of an owner's digest or to the platform's owners."""
        return self.outbox / f"{name}.json"

    @property
    def mailed(self) -> Path:
        """That all mails which were due have gone."""
        return self.outbox / "_mailed.json"

    def generation(self, name: str) -> "HomeGeneration":
        """One generation of the day. Raises ValueError for a name that is none."""
        if not is_generation(name):
            raise ValueError(f"{name[:40]!r} is no generation")
        return HomeGeneration(self, name)


@dataclass(frozen=True)
class HomeGeneration:
    """What one run wrote of a day."""

    day: HomeDay
    name: str

    @property
    def findings(self) -> Path:
        """The folder of all that was judged."""
        return self.day.findings / self.name

    @property
    def finding_list(self) -> Path:
        """All findings of all clusters."""
        return self.findings / "findings.json"

    @property
    def summary(self) -> Path:
        """All clusters in brief."""
        return self.findings / "summary.json"

    @property
    def set_aside(self) -> Path:
        """Clusters that the day is judged without."""
        return self.findings / "set_aside.json"

    @property
    def knowledge(self) -> Path:
        """The pack of knowledge that the day was judged by."""
        return self.findings / "knowledge.json"

    @property
    def clusters(self) -> Path:
        """The folder of what letters are written from."""
        return self.findings / "clusters"

    def cluster(self, cluster: str) -> Path:
        """What a cluster's letter is written from."""
        return self.clusters / f"{cluster}.json"

    @property
    def verdicts(self) -> Path:
        """The folder of the day's summaries."""
        return self.findings / "verdicts"

    def verdict(self, cluster: str) -> Path:
        """A cluster's day in brief."""
        return self.verdicts / f"{cluster}.json"

    def plots(self, cluster: str) -> Path:
        """What a cluster's page draws."""
        return self.findings / "plots" / f"{cluster}.json"

    @property
    def signatures(self) -> Path:
        """State and detections per cluster and signature."""
        return self.day.signatures / self.name / "signatures.json"

    @property
    def letters(self) -> Path:
        """The folder of letters and of the fleet page."""
        return self.day.reports / self.name

    def letter(self, cluster: str, kind: Literal["html", "txt"]) -> Path:
        """A cluster's letter."""
        return self.letters / f"{cluster}.{kind}"

    @property
    def claim(self) -> Path:
        """What no other run of the day has."""
        return self.day.runs / self.name

    @property
    def run(self) -> Path:
        """The Airflow run that it is of."""
        return self.day.runs / f"{self.name}.json"

    @property
    def fleet(self) -> Path:
        """The fleet as the run found it."""
        return self.day.runs / f"{self.name}.fleet"
