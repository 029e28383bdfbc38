"""Which clusters a day is judged without, as the jobs note it and the DAGs read it."""

from pathlib import Path

import pytest

from kafka_fleet.store.excluded_clusters import note_set_aside, set_aside, set_aside_by_facts

DAY, RUN = "2026-11-20", "g0001"


def test_a_day_without_any_has_none_and_no_document(tmp_path: Path) -> None:
    note_set_aside(tmp_path, DAY, RUN, "facts", {})
    assert set_aside(tmp_path, DAY, RUN) == {}
    assert list(tmp_path.iterdir()) == []


def test_what_both_jobs_found_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    note_set_aside(tmp_path, DAY, RUN, "facts", {"zeta": "Facts failed."})
    note_set_aside(tmp_path, DAY, RUN, "judge", {"alpha": "A condition failed."})
    assert list(set_aside(tmp_path, DAY, RUN).items()) == [("alpha", "A condition failed."), ("zeta", "Facts failed.")]
    assert set_aside_by_facts(tmp_path, DAY, RUN) == {"zeta": "Facts failed."}
    assert set_aside(tmp_path, DAY, "g0002") == {}


def test_a_job_that_runs_again_replaces_what_it_found_itself(tmp_path: Path) -> None:
    note_set_aside(tmp_path, DAY, RUN, "facts", {"zeta": "Facts failed."})
    note_set_aside(tmp_path, DAY, RUN, "judge", {"alpha": "A condition failed."})
    note_set_aside(tmp_path, DAY, RUN, "judge", {})
    assert set_aside(tmp_path, DAY, RUN) == {"zeta": "Facts failed."}
    note_set_aside(tmp_path, DAY, RUN, "facts", {})
    assert set_aside(tmp_path, DAY, RUN) == {}


def test_a_damaged_document_is_no_empty_one(tmp_path: Path) -> None:
    note_set_aside(tmp_path, DAY, RUN, "facts", {"zeta": "Facts failed."})
    (path,) = tmp_path.rglob("set_aside.json")
    path.write_text("{")
    with pytest.raises(ValueError, match="Expecting"):
        set_aside(tmp_path, DAY, RUN)
