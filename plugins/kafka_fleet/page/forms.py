"""What can be written from the page: acknowledgements, given and taken back, into the file beside the fleet file.

Through a guard of its own, from this page alone, and never over what another has written.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Form, Request
from fastapi.params import Depends
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError

from kafka_fleet.base.validation_errors import describe_errors
from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.config import acknowledgement_edits, acknowledgements
from kafka_fleet.documents.published import Published, known_cluster

Day = Annotated[str, Form(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Finding = Annotated[str, Form(max_length=300)]


class Refused(ValueError):
    """What was asked to be written is not; one sentence, and the status."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.status = status


def _from_here(request: Request) -> None:
    """Let through what a form of this page sent: no other site may write with a user's cookie. Raises Refused."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    same = (
        site == "same-origin" if site is not None else origin and urlsplit(origin).netloc == request.headers.get("host")
    )
    if not same:
        raise Refused("this was not sent by the Fleet Health page", 403)


def _write(fleet_file: Path | None, change: Callable[[Path], None]) -> None:
    """Change the file beside the fleet file. Raises Refused, whose sentence names no folder of the server."""
    if fleet_file is None:
        raise Refused("there is no fleet file to keep acknowledgements beside", 404)
    path = acknowledgements.acknowledgements_path(fleet_file)
    try:
        change(path)
    except ValidationError as error:
        raise Refused("; ".join(describe_errors(error, "entry"))) from error
    except FleetFileError as error:
        raise Refused(str(error).removeprefix(f"{path.parent}/"), 409) from error
    except OSError as error:
        raise Refused(f"{path.name} cannot be written: {error.strerror}", 409) from error


def add_forms(
    app: FastAPI,
    published: Callable[[], Published],
    fleet_file: Callable[[], Path | None],
    editors: Sequence[Depends],
    headers: Mapping[str, str],
    user: Depends,
) -> None:
    """Add the two addresses that write. fleet_file: asked at each request. editors: have to let a request through.

    user: gives the name of who sends a request, None where there is no login.
    """

    def back(cluster: str, day: str, up: str) -> Response:
        return RedirectResponse(f"{up}{quote(cluster)}?day={day}", status_code=303, headers=dict(headers))

    @app.post("/clusters/{cluster}/acknowledgements", dependencies=list(editors))
    def acknowledge(
        request: Request,
        cluster: str,
        day: Day,
        finding: Finding,
        reason: Annotated[str, Form(max_length=2000)],
        owner: Annotated[str, Form(max_length=300)],
        expires: Annotated[str, Form(max_length=20)],
        by: Annotated[str | None, user],
    ) -> Response:
        """Accept a finding as it stands on a day."""
        _from_here(request)
        short = published().day_summary(day, cluster)
        rows = {row.key: row for row in short.rows} if short else {}
        if finding not in rows:
            raise Refused("there is no such finding on that day", 404)
        said = (reason.strip(), owner.strip(), expires, by)

        def add(path: Path) -> None:
            acknowledgement_edits.add_acknowledgement(
                path, acknowledgements.of_finding(rows[finding], cluster, day, *said)
            )

        _write(fleet_file(), add)
        return back(cluster, day, "../")

    @app.post("/clusters/{cluster}/acknowledgements/removal", dependencies=list(editors))
    def take_back(request: Request, cluster: str, day: Day, finding: Finding) -> Response:
        """Take an acknowledgement back: its entry leaves the file. Its finding need not be there any more."""
        _from_here(request)
        name = known_cluster(cluster)
        _write(fleet_file(), lambda path: acknowledgement_edits.remove_acknowledgement(path, name, finding))
        return back(name, day, "../../")
