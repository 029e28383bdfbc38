"""The JSON API: takes a home, guards and acknowledgements, gives an app with what is published of days and clusters.

Every path, its OpenAPI document too, goes through the guard of the page. Text is given as it was measured, escaped to
ASCII: who shows it has to escape it anew. A refusal is `{"detail": "one sentence"}`.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.params import Depends
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from kafka_fleet.base.validation_errors import printable_message
from kafka_fleet.base.version import __version__
from kafka_fleet.config.acknowledgements import Acknowledgement, Acknowledgements
from kafka_fleet.documents.document import Document
from kafka_fleet.documents.finding import Finding
from kafka_fleet.documents.fleet_findings import Choice, finding_of, fleet_findings, fleet_of_day
from kafka_fleet.documents.published import Damaged, NotPublished, Published
from kafka_fleet.documents.summary import ClusterSummary
from kafka_fleet.documents.timeline import timelines
from kafka_fleet.page.accepted import standing_of
from kafka_fleet.page.api_models import (
    AnsweredFinding,
    Asked,
    AskedClusters,
    AskedFinding,
    AskedFindings,
    ClusterItem,
    ClusterPage,
    DayItem,
    DayOfFinding,
    FindingAcknowledgement,
    FindingDetail,
    FindingPage,
    Page,
    Problem,
)
from kafka_fleet.store.versions import NewerVersion

PATH = "/api/v1"
HISTORY = 31  # days
_REFUSALS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "Nobody is logged in"},
    403: {"model": Problem, "description": "The user may not view plugins"},
    404: {"model": Problem, "description": "There is no such day, cluster, owner, advisory or finding"},
    409: {"model": Problem, "description": "A stored document is damaged"},
    422: {"model": Problem, "description": "A parameter is wrong"},
    503: {"model": Problem, "description": "A newer version of the program wrote the day"},
}


class Ascii(JSONResponse):
    """JSON in ASCII: a name may hold halves of surrogate pairs, which UTF-8 cannot say."""

    def render(self, content: Any) -> bytes:
        """The body. Raises ValueError for what JSON cannot say, such as NaN."""
        return json.dumps(content, allow_nan=False, default=_plain).encode("ascii")


def _plain(value: Any) -> Any:
    return value.plain() if isinstance(value, Document) else dict(value)


def _answer(content: BaseModel) -> Ascii:
    """Built without a serializer of pydantic's, which refuses such names."""
    try:
        return Ascii(content)
    except ValueError as error:
        raise Damaged(f"what was asked for holds what JSON cannot say ({error})") from error


def _problem(sentence: str, status: int) -> Ascii:
    return Ascii({"detail": sentence}, status)


def _chosen(found: dict[str, ClusterSummary], asked: AskedClusters, ds: str) -> dict[str, ClusterSummary]:
    """The clusters with these owners and environments. Raises NotPublished for an owner who has none."""
    owners = {owner for one in found.values() for owner in one.owners}
    if unknown := sorted(set(asked.owner) - owners):
        raise NotPublished(f"no cluster of {ds} has the owner {', '.join(unknown)}")
    return {
        name: one
        for name, one in sorted(found.items())
        if (not asked.owner or set(asked.owner) & set(one.owners))
        and (not asked.environment or one.environment in asked.environment)
    }


def make_api(home: Callable[[], Path], guard: Sequence[Depends], accepted: Callable[[], Acknowledgements]) -> FastAPI:
    """The app, to be mounted at PATH. home, accepted: asked at each request. guard: has to let a request through."""
    api = FastAPI(
        title="Kafka Fleet Health", version=__version__, dependencies=list(guard), responses=_REFUSALS,
        docs_url=None, redoc_url=None, openapi_url=None,
    )  # fmt: skip

    def day_of(source: Published, day: str) -> str:
        days = source.days()
        if not days:
            raise NotPublished("nothing is judged yet")
        return day or days[0]

    @api.exception_handler(NotPublished)
    async def _absent(_request: Request, error: NotPublished) -> Response:
        return _problem(str(error), error.status)

    @api.exception_handler(NewerVersion)
    async def _newer(_request: Request, error: NewerVersion) -> Response:
        return _problem(str(error), 503)

    @api.exception_handler(RequestValidationError)
    async def _refused(_request: Request, error: RequestValidationError) -> Response:
        return _problem("; ".join(_sentence(one) for one in error.errors()), 422)

    @api.get("/openapi.json", include_in_schema=False)
    def described(request: Request) -> Response:
        """The description of this API."""
        return Ascii({**api.openapi(), "servers": [{"url": request.scope.get("root_path", "") or "/"}]})

    @api.get("/days", response_model=Page[DayItem])
    def days(asked: Annotated[Asked, Query()]) -> Response:
        """Judged days, the latest first."""
        source = Published(home())
        found = source.days()
        part = found[asked.offset : asked.offset + asked.limit]
        items = [DayItem(day=ds, generation=source.generation(ds)) for ds in part]
        return _answer(Page(items=items, total=len(found), limit=asked.limit, offset=asked.offset))

    @api.get("/clusters", response_model=ClusterPage)
    def clusters(asked: Annotated[AskedClusters, Query()]) -> Response:
        """The clusters of a day, by their ids."""
        source = Published(home())
        ds = day_of(source, asked.day)
        found = list(_chosen(fleet_of_day(source, ds), asked, ds).items())
        items = [_cluster(name, one) for name, one in found[asked.offset : asked.offset + asked.limit]]
        return _answer(ClusterPage(day=ds, items=items, total=len(found), limit=asked.limit, offset=asked.offset))

    @api.get("/findings", response_model=FindingPage)
    def findings(asked: Annotated[AskedFindings, Query()]) -> Response:
        """The findings of a day, by cluster and advisory; without `verdict` those that are not not_affected."""
        source = Published(home())
        ds = day_of(source, asked.day)
        fleet = fleet_of_day(source, ds)
        if unknown := sorted(set(asked.cluster) - set(fleet)):
            raise NotPublished(f"{ds} has no cluster {', '.join(unknown)}")
        own = {k: v for k, v in _chosen(fleet, asked, ds).items() if not asked.cluster or k in asked.cluster}
        choice = Choice(set(own), asked.verdict, asked.severity, asked.advisory)
        items, total = fleet_findings(source, ds, choice, asked.offset, asked.limit) if own else ([], 0)
        silent = [name for name, one in own.items() if not one.judged]
        part = _answered(source, ds, items, accepted().entries)
        return _answer(
            FindingPage(day=ds, items=part, total=total, limit=asked.limit, offset=asked.offset, not_judged=silent)
        )

    @api.get("/findings/{fingerprint}", response_model=FindingDetail)
    def finding(fingerprint: str, asked: Annotated[AskedFinding, Query()]) -> Response:
        """One finding on a day, with the days before."""
        source = Published(home())
        ds = day_of(source, asked.day)
        found = finding_of(source, ds, fingerprint)
        before = [one for one in source.days() if one <= ds][:HISTORY]
        short = {one: brief for one in before if (brief := source.day_summary(one, found.cluster)) is not None}
        lines = timelines(found.cluster, short, [found.key])
        past = [
            DayOfFinding(day=one.ds, state=one.state, verdict=one.verdict, release=one.release)
            for line in lines
            for one in line.days
        ]
        (answered,) = _answered(source, ds, [found], accepted().entries)
        return _answer(FindingDetail(finding=answered, history=past))

    return api


def _answered(
    source: Published, ds: str, found: Sequence[Finding], entries: Sequence[Acknowledgement]
) -> list[AnsweredFinding]:
    """Stored findings of a day with their acknowledgements."""
    standing = standing_of(source, ds, {one.cluster for one in found}, entries)
    said = {which: _acknowledgement(*state) for which, state in standing.items()}
    return [
        AnsweredFinding.model_validate({**one.plain(), "acknowledgement": said.get((one.cluster, one.key))})
        for one in found
    ]


def _acknowledgement(one: Acknowledgement, void: str | None) -> FindingAcknowledgement:
    return FindingAcknowledgement(
        holds=void is None,
        reopened=void,
        owner=one.owner,
        reason=one.reason,
        acknowledged_by=one.acknowledged_by,
        acknowledged=str(one.acknowledged),
        expires=str(one.expires),
    )


def _cluster(name: str, one: ClusterSummary) -> ClusterItem:
    return ClusterItem(
        cluster=name,
        environment=one.environment,
        owners=one.owners,
        judged=one.judged,
        reached=one.reached,
        problem=one.problem,
        counts=one.counts,
        signatures=one.cells,
    )


def _sentence(error: dict[str, Any]) -> str:
    """What is wrong with one parameter."""
    name = ".".join(str(part) for part in error["loc"][1:2]) or "the request"
    if error["type"] == "extra_forbidden":
        return f"there is no parameter {name[:60]}"
    return f"{name[:60]}: {printable_message(error['msg'])}"
