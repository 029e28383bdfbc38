"""What the JSON API takes and gives: parameters that are refused where they are wrong, and answers in pages."""

from typing import Annotated, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from kafka_fleet.documents.document import Text
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import Environment, Severity, Verdict
from kafka_fleet.store.home_names import checked_day

MOST = 500  # entries of one answer
Item = TypeVar("Item")
Name = Annotated[str, Field(max_length=255)]
Day = Annotated[
    str,
    AfterValidator(lambda text: checked_day(text) if text else text),
    Field(description="YYYY-MM-DD in UTC; without it the latest judged day"),
]


class Asked(BaseModel):
    """Parameters of a list. One that does not exist is refused: a filter with a typing error would let all through."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(100, ge=1, le=MOST, description="entries of one answer")
    offset: int = Field(0, ge=0, le=10_000_000, description="entries before the first of the answer")


class AskedClusters(Asked):
    """Parameters of the list of clusters."""

    day: Day = ""
    owner: list[Name] = Field([], max_length=100, description="mail address of an owner; repeatable")
    environment: list[Environment] = Field([], description="repeatable")


class AskedFindings(AskedClusters):
    """Parameters of the list of findings. Values of one name are alternatives, names are all to hold."""

    cluster: list[Name] = Field([], max_length=1000, description="id of a cluster; repeatable")
    verdict: list[Verdict] = Field([], description="repeatable; without it every one but not_affected")
    severity: list[Severity] = Field([], description="repeatable")
    advisory: list[Name] = Field([], max_length=200, description="id of a known issue; repeatable")


class AskedFinding(BaseModel):
    """Parameters of one finding."""

    model_config = ConfigDict(extra="forbid")

    day: Day = ""


class Page(BaseModel, Generic[Item]):
    """A part of a list. total: entries that the whole list has."""

    items: list[Item]
    total: int = Field(description="entries of the whole list")
    limit: int = Field(description="as asked for")
    offset: int = Field(description="as asked for")


class DayItem(BaseModel):
    """A judged day."""

    day: Text = Field(description="YYYY-MM-DD, in UTC")
    generation: Text = Field(description="of the judgement that readers follow; another one when it is judged again")


class ClusterItem(BaseModel):
    """A cluster on a day."""

    cluster: Text = Field(description="id of the cluster")
    environment: Text | None = Field(description="as in the fleet file")
    owners: list[Text] = Field(description="addresses")
    judged: bool = Field(description="false: what is not found is not known to be healthy")
    reached: bool = Field(description="whether any part of it answered in any sweep")
    problem: Text | None = Field(description="why it is not judged; null: it is, or was not reached")
    counts: dict[Text, int] = Field(description="number of findings by verdict, without not_affected")
    signatures: dict[Text, Text] = Field(description="by signature its worst verdict, else quiet or not_evaluated")


class ClusterPage(Page[ClusterItem]):
    """Clusters of a day."""

    day: Text = Field(description="the day that is answered")


class FindingAcknowledgement(BaseModel):
    """Who accepted a finding, as the file beside the fleet file says now."""

    holds: bool = Field(description="whether it holds on the day; false: the finding is open again")
    reopened: Text | None = Field(description="why it does not hold, one sentence; null: it holds")
    owner: Text = Field(description="address of who is responsible")
    reason: Text = Field(description="why the finding is accepted")
    acknowledged_by: Text | None = Field(description="who had it written; null: a person wrote the entry")
    acknowledged: Text = Field(description="the day that it is about, YYYY-MM-DD")
    expires: Text = Field(description="the last day on which it holds, YYYY-MM-DD")


class AnsweredFinding(Finding):
    """A stored finding, and its acknowledgement."""

    acknowledgement: FindingAcknowledgement | None = Field(
        description="null: nobody has acknowledged it, or the server knows no fleet file"
    )


class FindingPage(Page[AnsweredFinding]):
    """Findings of a day."""

    day: Text = Field(description="the day that is answered")
    not_judged: list[Text] = Field(
        description="clusters among those asked for of which nothing was measured, or that the day is judged without: "
        "no finding of theirs means nothing"
    )


class DayOfFinding(BaseModel):
    """A finding on one judged day."""

    day: Text = Field(description="the day")
    state: Text = Field(description="fired, clean (looked for, and not there), or unseen (could not be looked for)")
    verdict: Text = Field(description="of the day")
    release: Text | None = Field(description="in words; null: not read")


class FindingDetail(BaseModel):
    """A finding with the days before."""

    finding: AnsweredFinding
    history: list[DayOfFinding] = Field(description="of the judged days up to this one, the oldest first, at most 31")


class Problem(BaseModel):
    """Why a request is not answered."""

    detail: str = Field(description="one sentence")
