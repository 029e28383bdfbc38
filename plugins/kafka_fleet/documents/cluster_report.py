"""A cluster's report: all that its letter and page say of a day and that is not in the findings."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, model_validator

from kafka_fleet.documents.document import SCHEMA_VERSION, Document, Number, Text
from kafka_fleet.documents.finding import Evidence
from kafka_fleet.documents.old_protocol import OldProtocol
from kafka_fleet.documents.readiness import Readiness
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.domain import SignatureState, Strength


class BrokerCoverage(Document):
    """How often one broker was read on the day, and what it did not give."""

    broker: int = Field(description="its id")
    host: Text | None = Field(description="as it advertises itself; null: not listed by any broker")
    rack: Text | None = Field(description="null: not listed, or no rack set")
    release: Text | None = Field(description="as its MBean app-info gives it; null: not read")
    ok: int = Field(description="sweeps that read it wholly")
    partial: int = Field(description="sweeps that read a part of it")
    truncated: int = Field(description="sweeps that cut its answer short")
    failed: int = Field(description="sweeps that read nothing of it")
    failures: list[Text] = Field(description="kinds of failures")
    missing: list[Text] = Field(description="MBeans that it does not have or did not give")
    partitions: int | None = Field(default=None, description="most replicas that it held; null: not read")

    @property
    def reads(self) -> int:
        """Sweeps in which it answered, if only in part."""
        return self.ok + self.partial + self.truncated


class ProtocolCoverage(Document):
    """How often the Kafka protocol answered."""

    ok: int = Field(description="sweeps in which all that was asked for was answered")
    partial: int = Field(default=0, description="sweeps in which a part of it was; earlier versions do not say")
    failed: int = Field(description="sweeps that were not answered as a whole, `partial` ones among them")
    failures: list[Text] = Field(description="what failed")


class DroppedIntervals(Document):
    """Intervals between sweeps that no counter's difference is taken over."""

    reason: Text = Field(description="why")
    count: int = Field(description="how many")


class ClusterCoverage(Document):
    """What could be measured of a cluster on a day."""

    sweeps: int = Field(description="stored sweeps of the day")
    first_sweep: Text | None = Field(description="ISO 8601 in UTC; null without any sweep")
    last_sweep: Text | None = Field(description="the same")
    brokers: list[BrokerCoverage] = Field(description="each broker")
    admin: ProtocolCoverage = Field(description="the Kafka protocol")
    dropped_intervals: list[DroppedIntervals] = Field(description="intervals that are not used, by reason")
    not_measured: list[Text] = Field(description="what was not measured, one sentence each")

    @property
    def answered(self) -> bool:
        """Whether any part of the cluster answered in any sweep, as far as these numbers tell."""
        reads = sum(one.reads for one in self.brokers) + self.admin.ok + self.admin.partial
        return self.sweeps > 0 and reads > 0


class ClientLibrary(Document):
    """A client library that the brokers saw on a listener."""

    software: Text | None = Field(description="its name")
    version: Text | None = Field(description="its version")
    listener: Text | None = Field(description="the listener")
    connections: Number | None = Field(description="mean number of connections")


class DetectionReport(Document):
    """One cause of a symptom that was detected."""

    cause: Text = Field(description="one of the signature's causes")
    strength: Strength = Field(description="conclusive or suggestive")
    subjects: list[Text] = Field(description="where it was detected")
    bounds: Any = Field(description="as in a finding")
    evidence: list[Evidence] = Field(description="as in a finding")


class ThresholdReport(Document):
    """A threshold as it was in force for the cluster."""

    name: Text = Field(description="as the fleet file names it")
    value: Number = Field(description="the value in force")
    unit: Text = Field(description="its unit")
    reason: Text = Field(description="why the default is what it is")
    overridden: bool = Field(description="whether the fleet file set it")


class LookAlikeReport(Document):
    """A healthy state that looks like the symptom."""

    name: Text = Field(description="what it is")
    separated_by: Text = Field(description="what tells them apart")


class AdviceReport(Document):
    """What the owner does, or looks at, when the symptom is detected."""

    causes: list[Text] = Field(description="of these causes; empty: of all")
    text: Text = Field(description="what to do")
    command: Text | None = Field(description="one line to copy; null: none")


class SignatureDay(Document):
    """A symptom on one cluster and day: a row of signatures.json."""

    cluster: Text = Field(description="id of the cluster")
    signature: Text = Field(description="its id")
    state: SignatureState = Field(description="detected, quiet, or not_evaluated")
    detections: list[DetectionReport] = Field(description="one for each cause")
    missing: list[Text] = Field(description="inputs that were not there, one sentence each")


class ChartPoint(Document):
    """One interval of a chart."""

    from_at: Text = Field(alias="from", description="begin of the interval")
    to_at: Text = Field(alias="to", description="its end")
    value: Any = Field(description="the figure")
    reference: Any = Field(default=None, description="what a healthy cluster would show; null: not known")


class ChartReport(Document):
    """A day of one figure."""

    title: Text = Field(description="what it is")
    unit: Text | None = Field(description="its unit")
    threshold: bool | Number | Text | None = Field(description="in force for this cluster")
    points: list[ChartPoint] = Field(description="in the order of time")


class DetectionTable(Document):
    """The rows behind a detection."""

    columns: list[Text] = Field(description="names of the columns")
    rows: list[list[Text | None]] = Field(description="one text, or null, per column")


class SignatureReport(Document):
    """A symptom on the day: what was found, and all that its owner needs to judge it."""

    signature: Text = Field(description="its id")
    title: Text = Field(description="the symptom in words")
    state: SignatureState = Field(description="detected, quiet, or not_evaluated")
    detections: list[DetectionReport] = Field(description="one for each cause")
    missing: list[Text] = Field(description="inputs that were not there, one sentence each")
    thresholds: list[ThresholdReport] = Field(description="as in force")
    look_alikes: list[LookAlikeReport] = Field(description="healthy states that look like it")
    remeasure: Text | None = Field(description="a command that measures it again")
    advice: list[AdviceReport] = Field(default_factory=list, description="what to do")
    charts: list[ChartReport] = Field(description="the day of its figures")
    rows: DetectionTable | None = Field(default=None, description="the rows behind it; null where it was not detected")


class PlanStep(Document):
    """An upgrade to one release."""

    component: Text = Field(description="what is upgraded")
    release: Text = Field(description="to which release")
    closes: list[Text] = Field(description="advisories that end with it, the worst first")
    leaves: list[Text] = Field(description="advisories that stay")
    opens: list[Text] = Field(description="advisories that begin with it")
    steps: list[Text] = Field(description="how, in order")
    client_floor: Text | None = Field(description="the oldest client that the release serves; null: as before")
    why: Text = Field(description="why this release")


class PlanCandidate(Document):
    """A release that could be chosen."""

    release: Text = Field(description="the release")
    supported: bool = Field(description="whether it is supported on the day")
    closes: list[Text] = Field(description="as in a step")
    leaves: list[Text] = Field(description="as in a step")
    opens: list[Text] = Field(description="as in a step")


class PlanCandidates(Document):
    """The newest patch of each line, and what the steps name."""

    server: list[PlanCandidate] = Field(default_factory=list, description="for brokers")
    client: list[PlanCandidate] = Field(default_factory=list, description="for Java clients")


class UpgradePlan(Document):
    """What to upgrade, in steps that each can be taken from what runs today."""

    now: PlanStep | None = Field(default=None, description="closes everything that is confirmed")
    next: PlanStep | None = Field(default=None, description="the supported release that leaves least")
    clients: PlanStep | None = Field(default=None, description="the supported client library")
    candidates: PlanCandidates = Field(default_factory=PlanCandidates, description="releases to choose from")
    note: Text | None = Field(default=None, description="what the plan could not decide")
    old_protocol: OldProtocol | None = Field(
        default=None, description="clients in the way of 4.x; null: none is below it, or earlier versions have none"
    )


class ClusterReport(Document):
    """One cluster on one day, without its findings."""

    schema_version: int = Field(default=SCHEMA_VERSION, description="1")
    ds: Text = Field(description="the day, in UTC")
    cluster: Text = Field(description="id of the cluster")
    environment: Text | None = Field(description="as in the fleet file; null: not there any more")
    owners: list[Text] = Field(description="addresses")
    bootstrap_servers: list[Text] = Field(description="as in the fleet file")
    declaration_error: Text | None = Field(description="why its entry in the fleet file is not valid")
    reached: bool = Field(description="whether any part of it answered in any sweep, if only in part")
    set_aside: Text | None = Field(default=None, description="why the day is judged without it; null: it is judged")
    kafka_cluster_id: Text | None = Field(description="null: not read")
    mode: Text | None = Field(description="KRaft or ZooKeeper; null: not read")
    coverage: ClusterCoverage = Field(description="what could be measured")
    clients: list[ClientLibrary] = Field(description="client libraries that were connected")
    signatures: list[SignatureReport] = Field(description="each symptom")
    plan: UpgradePlan = Field(description="what to upgrade")
    readiness: Readiness | None = Field(default=None, description="at the last sweep; null: earlier versions have none")
    rolls: list[RollReport] | None = Field(default=None, description="of the day; null: earlier versions have none")

    @model_validator(mode="before")
    @classmethod
    def _reached(cls, content: Any) -> Any:
        """Earlier versions did not say whether it was reached: there the counts of its coverage decide."""
        if not isinstance(content, Mapping) or content.get("reached") is not None or "coverage" not in content:
            return content
        coverage = content["coverage"]
        coverage = coverage if isinstance(coverage, ClusterCoverage) else ClusterCoverage.model_validate(coverage)
        return {**content, "reached": coverage.answered}

    @property
    def judged(self) -> bool:
        """Whether it was reached and is not set aside: else nothing that is not found is known to be healthy."""
        return self.reached and self.set_aside is None
