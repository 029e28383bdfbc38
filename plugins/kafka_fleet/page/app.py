"""The page as a web application: takes a home and guards, gives a FastAPI app that shows what is published.

Every path goes through the guard. Pages have a strict Content-Security-Policy and no script; a letter, whose rules are
in its elements, is shown in a sandbox. What can be written is in forms.py.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.params import Depends
from fastapi.responses import HTMLResponse, Response

from kafka_fleet.base.resources import templates_dir
from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.documents.published import Damaged, NotPublished, Published, readable
from kafka_fleet.documents.summary import ClusterSummary
from kafka_fleet.page.accepted import accepted_beside
from kafka_fleet.page.api import PATH as API
from kafka_fleet.page.api import make_api
from kafka_fleet.page.catalogue import add_catalogue
from kafka_fleet.page.cluster_page import cluster_page
from kafka_fleet.page.fleet import Filter, build
from kafka_fleet.page.fleet_day import decides_of
from kafka_fleet.page.forms import Refused, add_forms
from kafka_fleet.page.metrics import add_metrics
from kafka_fleet.report.templating import render
from kafka_fleet.store.versions import NewerVersion

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; frame-ancestors 'self'; "
    "form-action 'self'; base-uri 'none'"
)
LETTER_POLICY = "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
STYLES = ("page.css", "fleet_parts.css", "mechanism.css")
NOBODY = Depends(lambda: None)  # where there is no login
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Frame-Options": "SAMEORIGIN",
}


def _html(content: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(content, status, {**_HEADERS, "Content-Security-Policy": POLICY})


def make_app(
    home: Callable[[], Path],
    guard: Sequence[Depends],
    fleet_file: Callable[[], Path | None] = lambda: None,
    editors: Sequence[Depends] = (),
    user: Depends = NOBODY,
) -> FastAPI:
    """The app. home, fleet_file: asked at each request. guard: what has to let a request through; editors: a write.

    user: gives the name of who sends a request, as it is kept with what they write.
    """
    app = FastAPI(title="Kafka Fleet Health", dependencies=list(guard), docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def _strict(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        """Refusals too are neither kept nor guessed at."""
        answer = await call_next(request)
        for name, value in {**_HEADERS, "Content-Security-Policy": POLICY}.items():
            answer.headers.setdefault(name, value)
        return answer

    def published() -> Published:
        return Published(home())

    def absent(request: Request, sentence: str, status: int) -> Response:
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        return _html(render("page_absent.html.j2", sentence=sentence, up="../" * (path.count("/") - 1)), status)

    @app.exception_handler(NotPublished)
    async def _absent(request: Request, error: NotPublished) -> Response:
        return absent(request, str(error), error.status)

    @app.exception_handler(NewerVersion)
    async def _newer(request: Request, error: NewerVersion) -> Response:
        return absent(request, str(error), 503)

    @app.exception_handler(RequestValidationError)
    async def _refused(request: Request, _error: RequestValidationError) -> Response:
        return absent(request, "the address is not one of this page's", 422)

    def accepted() -> Acknowledgements:
        return accepted_beside(fleet_file())

    app.mount(API, make_api(home, guard, accepted))
    add_catalogue(app, _html)
    add_metrics(app, published, accepted)
    add_forms(app, published, fleet_file, editors, _HEADERS, user)

    @app.exception_handler(Refused)
    async def _not_written(request: Request, error: Refused) -> Response:
        return absent(request, str(error), error.status)

    @app.get("/page.css")
    def style() -> Response:
        content = "".join((templates_dir() / name).read_text(encoding="utf-8") for name in STYLES)
        return Response(content, media_type="text/css", headers=_HEADERS)

    @app.get("/")
    def fleet(
        day: str = Query("", pattern=r"^(\d{4}-\d{2}-\d{2})?$"),
        owner: str = Query("", max_length=255),
        environment: str = Query("", max_length=20),
        verdict: str = Query("", max_length=20),
        page: int = Query(1, ge=1, le=100_000),
    ) -> Response:
        """The fleet on a day; the latest judged one unless it is given."""
        source = published()
        days = source.days()
        if not days:
            return _html(render("page_empty.html.j2"))
        ds = day or days[0]
        source.generation(ds)
        asked = Filter(owner, environment, verdict, page)

        def summary(one: str) -> dict[str, ClusterSummary] | None:
            """Of a day; a damaged one of a day before is a gap in the trend."""
            try:
                return source.summary(one)
            except Damaged:
                if one == ds:
                    raise
                return None

        with readable(f"the fleet on {ds}"):
            view = build(ds, days, summary, asked)
            decides = None if view.older else decides_of(source, ds, view.names, view.summaries, accepted().entries)
            return _html(render("page_fleet.html.j2", v=view, decides=decides, run=source.run(ds)))

    @app.get("/clusters/{cluster}")
    def cluster(cluster: str, day: str = Query("", pattern=r"^(\d{4}-\d{2}-\d{2})?$")) -> Response:
        """One cluster on a day."""
        return _html(cluster_page(published(), cluster, day, accepted(), fleet_file() is not None))

    @app.get("/letters/{day}/{cluster}")
    def letter(day: str, cluster: str) -> Response:
        """The letter as it was published."""
        content = published().letter(day, cluster)
        if content is None:
            raise NotPublished(f"{cluster} has no letter of {day}")
        return HTMLResponse(content, 200, {**_HEADERS, "Content-Security-Policy": LETTER_POLICY})

    return app
