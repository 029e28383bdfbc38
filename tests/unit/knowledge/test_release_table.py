"""The release table's own file: what it may say, and what is refused with the entry named."""

import datetime as dt
from pathlib import Path

import pytest

from kafka_fleet.knowledge.release_table import load_table
from kafka_fleet.knowledge.releases import Catalogue, ReleaseError, apache_release

TABLE = """
as_of: 2026-11-21
expected: {"4.3.2": security records of 2026-10-28}
lines:
  "4.2": {"4.2.0": 2026-02-17, "4.2.1": 2026-05-30}
  "4.3": {"4.3.0": 2026-05-22, "4.3.1": 2026-06-25}
  "4.4": {"4.4.0": by 2026-11-07}
"""


def load(folder: Path, old: str = "", new: str = "") -> Catalogue:
    assert old in TABLE
    file = folder / "releases.yaml"
    file.write_text(TABLE.replace(old, new))
    return Catalogue(**load_table(file))


def test_one_more_release_is_one_entry(tmp_path: Path) -> None:
    table = load(tmp_path, '"4.3.1": 2026-06-25}', '"4.3.1": 2026-06-25, "4.3.3": 2026-11-20}')
    assert table.latest_patch((4, 3)) == apache_release("4.3.3")
    assert apache_release("4.3.3") in table.announced


def test_a_new_line_is_one_row_and_moves_support(tmp_path: Path) -> None:
    before = load(tmp_path)
    after = load(tmp_path, '  "4.4":', '  "4.5": {"4.5.0": 2026-11-20}\n  "4.4":')
    old = apache_release("4.2.1")
    assert (before.supported(old), after.supported(old)) == (True, False)
    assert after.supported(old, dt.date(2026, 11, 19))


def test_a_release_without_a_verified_day_counts_from_the_day_it_was_seen(tmp_path: Path) -> None:
    table, release = load(tmp_path), apache_release("4.4.0")
    assert table.dates[release] is None
    assert release not in table.published(dt.date(2026, 11, 6))
    assert release in table.published(dt.date(2026, 11, 7))


def test_an_expected_number_is_known_and_never_recommended(tmp_path: Path) -> None:
    table, release = load(tmp_path), apache_release("4.3.2")
    assert table.known(release)
    assert table.comparable(release)
    assert release not in table.announced


def test_a_named_end_of_support_wins_over_the_count(tmp_path: Path) -> None:
    table = load(tmp_path, "lines:", 'support_ends: {"4.2": 2026-06-30}\nlines:')
    release = apache_release("4.2.1")
    assert [table.supported(release, dt.date(2026, 6, day)) for day in (1, 30)] == [True, True]
    assert not table.supported(release, dt.date(2026, 7, 1))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"4.2.1": 2026-05-30', '"4.3.5": 2026-05-30', "lines.4.2.4.3.5: not a plain release of this line"),
        ('"4.2.1"', '"4.2.1-ccs"', "lines.4.2.4.2.1-ccs: not a plain release"),
        ('"4.2.1"', '"4.2.0"', "a key is given twice: '4.2.0'"),
        ('  "4.3":', '  "4.2":', "a key is given twice: '4.2'"),
        ("2026-05-30", "soon", "lines.4.2.4.2.1: 'soon' is no date"),
        ("2026-05-30", "2026-01-30", "lines.4.2.4.2.1: is dated before 4.2.0"),
        ("2026-05-30", "2026-12-30", "lines.4.2.4.2.1: 2026-12-30 is after as_of"),
        ("by 2026-11-07", "by noon", "lines.4.4.4.4.0: 'by noon' is no date"),
        ("2026-05-30", "2026-05-30 10:00:00", "is no date"),
        ("lines:", "support_ends: soon\nlines:", "support_ends: must be a mapping"),
        ('"4.3.2": security', '"4.3.1": security', "expected.4.3.1: is published"),
        ("security records of 2026-10-28", '""', "expected.4.3.2: needs a plain release and who names it"),
        (
            "lines:",
            'support_ends: {"4.2": 2026-01-01}\nlines:',
            "support_ends.4.2: 2026-01-01 is before its last patch",
        ),
        ("lines:", 'support_ends: {"4.9": 2026-01-01}\nlines:', "support_ends.4.9: needs a line with a published"),
        ("lines:", 'support_ends: {"4": 2026-01-01}\nlines:', "support_ends.4: '4' is not a release line"),
        ("as_of: 2026-11-21", "", "needs as_of and lines"),
        ("as_of: 2026-11-21", "as_of: today", "as_of is a date"),
        ("as_of:", "supported: all\nas_of:", "takes as_of, expected, lines, support_ends"),
    ],
)
def test_faults_name_file_and_entry(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(ReleaseError) as caught:
        load(tmp_path, old, new)
    assert str(caught.value).startswith("releases.yaml")
    assert words in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
