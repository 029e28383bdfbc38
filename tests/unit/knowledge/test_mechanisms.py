"""The pictures of mechanisms: every signature has one; a file that cannot be drawn is refused with file and field."""

import pytest

from kafka_fleet.knowledge.catalogue_folders import CatalogueError
from kafka_fleet.knowledge.mechanisms import FILE, load_mechanisms
from kafka_fleet.knowledge.signatures import load_signatures

WHOLE = """about: A message goes from one to the other and comes back.
actors: {a: One, b: Two}
steps:
  - {from: a, to: b, says: question}
  - {at: b, says: thinks, kind: wait}
  - {from: b, to: a, says: answer}
"""


def loaded(folder, text):
    place = folder / "signatures/some"
    place.mkdir(parents=True)
    (place / FILE).write_text(text)
    return load_mechanisms(folder)


def test_every_signature_has_a_mechanism():
    assert set(load_mechanisms()) == set(load_signatures())


def test_a_whole_file_is_read(tmp_path):
    one = loaded(tmp_path, WHOLE)["some"]
    assert [step.actors for step in one.steps] == [("a", "b"), ("b",), ("b", "a")]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("to: b, says: question", "to: c, says: question", "no such actor: c"),
        ("{a: One, b: Two}", "{a: One, b: Two, c: Three}", "an actor without a step: c"),
        ("{at: b,", "{at: b, to: a,", "either at one actor, or from one to another"),
        ("from: b, to: a", "from: a, to: a", "a message goes to another actor"),
        ("kind: wait", "kind: odd", "kind"),
        ("says: answer", "text: answer", "text"),
    ],
)
def test_a_file_that_cannot_be_drawn_is_refused(tmp_path, old, new, fault):
    assert old in WHOLE
    with pytest.raises(CatalogueError, match=fault) as error:
        loaded(tmp_path, WHOLE.replace(old, new))
    assert FILE in str(error.value)
