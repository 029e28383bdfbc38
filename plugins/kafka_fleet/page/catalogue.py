"""Pages of what is looked for: what owners notice, each symptom, each known issue. They rest on catalogues alone.

Nothing in them is of a cluster, so no home is read; the guard of the app stands before them as before every page.
"""

from collections.abc import Callable

from fastapi import FastAPI
from fastapi.responses import Response

from kafka_fleet.documents.published import NotPublished
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.mechanisms import load_mechanisms
from kafka_fleet.knowledge.pack import per_pack
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.symptoms import symptom_index
from kafka_fleet.report.cards import component_words, link, own_text
from kafka_fleet.report.mechanism_picture import MechanismPicture, mechanism_picture
from kafka_fleet.report.silencing import decisive, silence_issue, silence_symptom
from kafka_fleet.report.templating import render


def _picture(signature: str | None) -> MechanismPicture | None:
    found = load_mechanisms().get(signature or "")
    return mechanism_picture(signature, found) if signature and found else None


@per_pack
def symptoms_page() -> str:
    """What do you see?"""
    return render("page_symptoms.html.j2", sections=symptom_index(load_signatures(), load_advisories()))


@per_pack
def signature_page(name: str) -> str:
    """One symptom: what it is, what it shows, what looks alike, how to silence it. Raises NotPublished."""
    one = load_signatures().get(name)
    if one is None:
        raise NotPublished("there is no symptom of that name")
    shown = [found for found in load_advisories().values() if found.signature and found.signature.id == name]
    return render(
        "page_signature.html.j2",
        s=one,
        symptom=own_text(one.symptom),
        shown=[(found.id, own_text(found.title), found.severity, found.signature) for found in shown],
        thresholds=decisive(one, tuple(one.causes)),
        silence=silence_symptom(one),
        mechanism=_picture(name),
    )


@per_pack
def issue_page(name: str) -> str:
    """One known issue. Raises NotPublished."""
    one = load_advisories().get(name)
    if one is None:
        raise NotPublished("there is no known issue of that name")
    shown = load_signatures().get(one.signature.id) if one.signature else None
    texts = ("title", "summary", "mechanism", "workaround", "why_upgrade")
    return render(
        "page_issue.html.j2",
        a=one,
        t={text: own_text(getattr(one, text)) for text in texts},
        components=component_words(one.components),
        sources=[(source, link(source)) for source in one.sources],
        conditions=[own_text(found.description) for found in one.preconditions],
        shown=shown,
        silence=silence_issue(one, shown),
        mechanism=mechanism_picture(name, one.drawn) if one.drawn else _picture(shown.id if shown else None),
    )


def add_catalogue(app: FastAPI, answer: Callable[[str], Response]) -> None:
    """Add the three addresses. answer: makes a response of a page."""

    @app.get("/symptoms")
    def symptoms() -> Response:
        """The index by what is noticed."""
        return answer(symptoms_page())

    @app.get("/signatures/{name}")
    def signature(name: str) -> Response:
        """One symptom."""
        return answer(signature_page(name))

    @app.get("/issues/{name}")
    def issue(name: str) -> Response:
        """One known issue."""
        return answer(issue_page(name))
