"""A letter that is too large for a mail client is drawn at the first level of shortness that fits."""

import pytest

from kafka_fleet.report import letter
from support.builders.documents import render_letter
from support.builders.letter_rows import finding
from support.builders.letter_samples import ADVISORIES, payments

ROWS = [finding(f"KAFKA-{10000 + i}", "exposed", missing=["m" * 100] * 20, workaround="w" * 300) for i in range(150)]


def drawn() -> str:
    """The letter of a cluster with many rows."""
    return render_letter(payments() | {"owners": ["o" * 400] * 30}, ROWS, ADVISORIES).html


def test_the_first_level_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    levels, each = letter.LEVELS, []
    for limits in levels:
        monkeypatch.setattr(letter, "LEVELS", (limits,))
        each.append(drawn())
    monkeypatch.setattr(letter, "LEVELS", levels)
    sizes = [len(one.encode()) for one in each]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 4
    for number, size in enumerate(sizes):
        monkeypatch.setattr(letter, "MAX_BYTES", size + letter.ROOM)
        assert drawn() == each[sizes.index(size)], number


def test_what_is_too_large_in_its_shortest_form_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letter, "MAX_BYTES", letter.ROOM + 1000)
    with pytest.raises(letter.LetterTooLarge, match=r"the letter of payments-eu has [\d,]+ bytes in its shortest form"):
        drawn()
