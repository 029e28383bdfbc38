"""The part that comes first: bounded however much changed, harmless whatever it names; and when silence is broken."""

import pytest

from kafka_fleet.mail.dispatch import HEARTBEAT, LetterError, heartbeat_days
from kafka_fleet.report.changes_section import PLACE, ROOM, with_first_part
from kafka_fleet.report.letter import MAX_BYTES
from support.builders.documents import compare, first_part, of_finding, render_letter, told_of
from support.builders.letter_rows import ADVISORIES, DS, finding
from support.builders.letter_samples import payments, payments_findings

HOSTILE = "<script>alert(1)</script> {{ 7*7 }} \u202e\r\nBcc: x@example.org " + "n" * 3000


def everything(number=400):
    """As many changes of each kind, each with a hostile name, some of them acknowledged; and faults."""
    was = [finding(f"OLD-{i}-{HOSTILE}", "exposed") for i in range(number)]
    now = [finding(f"NEW-{i}-{HOSTILE}", "exposed", subjects=[f"topic {HOSTILE}"]) for i in range(number)]
    held = [finding(f"A-{i}", "exposed", subjects=[]) for i in range(number)]
    said = ("Accepted: " + HOSTILE[:400], "a@example.org", "2026-12-31")
    entries = {row["advisory"]: (of_finding({**row, "basis": []}, "payments-eu", DS, *said), None) for row in held}
    found = compare(told_of(was), [*now, *held], "2026-11-19", True, lambda *_: 9, dict.fromkeys(entries))
    return found, [*now, *held], entries, [HOSTILE] * number


def test_however_much_changed_the_letter_is_not_cut_by_mail_clients():
    changes, rows, entries, faults = everything()
    html, text = first_part(changes, ADVISORIES, rows, entries, faults)
    letter = render_letter(payments(), payments_findings(), ADVISORIES)
    whole, twin = with_first_part(letter.html, letter.text, html, text)
    assert len(html.encode()) <= ROOM
    assert len(whole.encode()) <= MAX_BYTES
    assert "and 39" in text  # how many more
    assert twin.startswith("SINCE THE LETTER OF 2026-11-19\n")
    assert whole.count(PLACE) == 0


def test_what_it_names_is_text():
    changes, rows, entries, faults = everything(2)
    html, text = first_part(changes, ADVISORIES, rows, entries, faults)
    assert "<script" not in html
    assert "{{ 7*7 }}" in text
    for twin in (html, text):
        assert "\u202e" not in twin
        assert "\nBcc:" not in twin
    assert max(map(len, text.splitlines())) <= 78


def test_a_letter_without_the_place_has_it_on_top():
    html, text = with_first_part("<html><body class='x'><h1>old</h1></body></html>", "old\n", "<p>new</p>", "new")
    assert html == "<html><body class='x'><p>new</p><h1>old</h1></body></html>"
    assert text == "new\n\nold\n"


@pytest.mark.parametrize("text", ["", "weekly", "-1", "1.5", "1234"])
def test_a_heartbeat_that_is_no_number_of_days_is_one_sentence(text):
    with pytest.raises(LetterError, match=HEARTBEAT):
        heartbeat_days({HEARTBEAT: text})
