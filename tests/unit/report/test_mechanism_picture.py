"""The picture of a mechanism: everything lies within it, nothing on top of another, and it says what it shows."""

from itertools import pairwise
from xml.dom import minidom

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.mechanisms import ACTORS, Mechanism, Step, issue_mechanism, load_mechanisms
from kafka_fleet.report.mechanism_picture import WIDTH, mechanism_picture, mechanism_svg

ISSUES = {name: one.drawn for name, one in load_advisories().items() if one.drawn}
ALL = {**load_mechanisms(), **ISSUES}


def test_every_known_issue_has_a_picture_of_its_own_or_its_signatures():
    known = load_advisories()
    assert {name for name, one in known.items() if one.signature is None} <= set(ISSUES)
    assert {one.signature.id for one in known.values() if one.signature} <= set(load_mechanisms())
    assert {name for one in ISSUES.values() for name in one.actors} == set(ACTORS), "a name that no picture has"
    for name, one in ISSUES.items():
        assert one.about == f"{known[name].title}."
        assert {"fault", "missing"} & {step.kind for step in one.steps}, f"{name}: what goes wrong stands out"


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ([("leader", "cuts its log")] * 3, "has 2 to 4 actors"),
        ([("leader", "cuts its log"), ("follower", "waits")], "3 to 10 steps"),
        ([("leader", "cuts its log"), ("folower", "waits"), ("leader", "goes on")], "no such actor: folower"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_refused(steps, fault):
    with pytest.raises(ValueError, match=fault):
        issue_mechanism("Some title of it", [Step(at=at, says=says) for at, says in steps])


@pytest.mark.parametrize("name", list(ALL))
def test_nothing_leaves_the_picture_or_lies_on_another_step(name):
    made = mechanism_picture(name, ALL[name])
    spans = []
    for one in made.arrows:
        assert 0 < min(one.x1, one.x2) < max(one.x1, one.x2) < WIDTH
        spans.append((one.lines[0][0] - 11, one.y))
    for one in made.notes:
        assert one.left >= 0
        assert 2 * one.x - one.left <= WIDTH
        assert all(one.y < y <= one.y + one.height for y, _text in one.lines)
        spans.append((one.y, one.y + one.height))
    assert len(spans) == len(ALL[name].steps)
    assert all(bottom <= top for (_top, bottom), (top, _bottom) in pairwise(sorted(spans)))
    assert max(bottom for _top, bottom in spans) < made.height
    assert all(7.4 * len(name) < 168 for _x, name in made.actors), "wider than its box"


@pytest.mark.parametrize("name", list(ALL))
def test_the_file_is_whole_says_what_it_shows_and_knows_dark_mode(name):
    text = mechanism_svg(name, ALL[name])
    parsed = minidom.parseString(text)  # noqa: S318 - our own
    said = parsed.getElementsByTagName("desc")[0].firstChild.data
    for step in ALL[name].steps:
        assert step.says in said
    assert "prefers-color-scheme: dark" in text
    assert "<script" not in text
    assert "href" not in text


def test_text_is_escaped_and_long_text_is_broken():
    content = {
        "about": "A picture with <b>text</b> that is none of ours.",
        "actors": {"a": "<One>", "b": "Two & three"},
        "steps": [
            {"from": "a", "to": "b", "says": "<script>alert(1)</script>"},
            {"at": "b", "says": " ".join(["word"] * 16), "kind": "fault"},
            {"from": "b", "to": "a", "says": "done"},
        ],
    }
    one = Mechanism.model_validate(content)
    text = mechanism_svg("some", one)
    minidom.parseString(text)  # noqa: S318 - our own
    assert "<script" not in text
    assert len(mechanism_picture("some", one).notes[0].lines) > 2
