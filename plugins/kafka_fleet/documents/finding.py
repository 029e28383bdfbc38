"""A finding: what one advisory, or one symptom that none explains, comes to on one cluster and day."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, TypeAdapter

from kafka_fleet.documents.document import SCHEMA_VERSION, Document, Number, Text
from kafka_fleet.domain import ExposureState, Severity, SignatureState, Strength, Verdict, finding_key


class Evidence(Document):
    """One figure that was measured, beside its threshold."""

    metric: Text = Field(description="what the number is")
    value: bool | Number | Text | None = Field(description="the number, rounded to four places")
    unit: Text | None = Field(description="its unit: `ratio`, `ms`, `records`, …")
    threshold: bool | Number | Text | None = Field(description="in force for this cluster; null where there is none")
    where: Text | None = Field(description="the broker, topic, group or host that was measured; empty: the cluster")
    from_at: Text = Field(alias="from", description="begin of what was measured, ISO 8601 in UTC")
    to_at: Text = Field(alias="to", description="its end")
    mbean: Text | None = Field(description="the MBean behind the number, or the request of the Kafka protocol")


class FindingRow(Document):
    """What is known of a finding wherever it is kept."""

    advisory: Text | None = Field(description="id of the known issue; null: a symptom that none explains")
    signature: Text | None = Field(description="the symptom; null where no signature shows the issue")
    cause: Text | None = Field(description="of the symptom, one of the signature's; null where it was not detected")
    verdict: Verdict = Field(description="see [verdicts](../verdicts.md)")
    severity: Severity | None = Field(description="of the advisory; info for a symptom that none explains")
    exposure: ExposureState | None = Field(
        description="whether release and settings have the issue; null where no advisory does"
    )
    signature_state: SignatureState | None = Field(description="of the symptom on this day; null without a signature")
    subjects: list[Text] = Field(description="brokers, topics, groups, clients, as `broker 2`; the worst first")
    release: Text | None = Field(
        default=None, description="of the affected brokers or clients, in words; null: not read"
    )

    @property
    def key(self) -> str:
        """The same finding has the same key on every day."""
        return finding_key(self)

    @property
    def has_symptom(self) -> bool:
        """Whether it rests on a symptom that was seen, and not on release and configuration alone."""
        # the signature may be detected by a cause of which the advisory knows nothing: then it names none
        return self.verdict in ("confirmed", "look_alike") or (self.signature_state == "detected" and bool(self.cause))


class DatedRow(FindingRow):
    """The same with the days on which the cluster has had it: see first_days.py."""

    first_day: Text | None = Field(
        default=None,
        description="since when the cluster has it as now, days without measurement included; null: not affected, "
        "never decided, or judged by an earlier version",
    )
    last_day: Text | None = Field(
        default=None, description="the day, or the last one before on which it was decided; null as `first_day`"
    )


class Finding(DatedRow):
    """One row of findings.json. A value that there is not is null; no member is left out.

    The list is sorted by cluster, advisory (null comes last), signature and cause. It has one row for each advisory and
    cluster, and one with `advisory: null` for each detected cause that no confirmed advisory explains. A cluster of the
    fleet file that was never reached has its rows too.
    """

    schema_version: int = Field(default=SCHEMA_VERSION, description="1")
    ds: Text = Field(description="the day, in UTC")
    cluster: Text = Field(description="id of the cluster in the fleet file")
    fingerprint: Text | None = Field(
        default=None, description="of cluster and finding, the same on every day; null: earlier versions have none"
    )
    strength: Strength | None = Field(
        description="conclusive: no healthy workload could have made the same rows; null where nothing was detected"
    )
    components: list[Text] | None = Field(description="what has the bug: `broker`, `client-producer`, `host`, …")
    upgrade_to: Text | None = Field(
        description="the smallest published release that has the fix and opens nothing as bad of its kind"
    )
    workaround: Text | None = Field(description="of the advisory")
    missing: list[Text] = Field(description="what was not measured, one sentence each")
    bounds: Any = Field(description="lower and upper bound of a quantity that cannot be known exactly")
    evidence: list[Evidence] = Field(description="the figures that it rests on, the main one first")


def is_proven(row: Mapping[str, Any]) -> bool:
    """Whether a row of a stored list is confirmed, or a symptom that was measured for sure and that no issue explains.

    Raises KeyError, TypeError where it is none.
    """
    symptom = row["advisory"] is None and row["verdict"] == "look_alike" and row["strength"] == "conclusive"
    return bool(row["verdict"] == "confirmed" or symptom)


def parsed_findings(content: Any) -> list[Finding]:
    """The findings of a stored list. Raises ValueError where it is none."""
    return _FINDINGS.validate_python(content)


_FINDINGS = TypeAdapter(list[Finding])
