"""What clients name, and what stands in the file by mistake, takes no acknowledgement of another out of force."""

import json
from pathlib import Path

import pytest

from kafka_fleet.base import yaml as fleet_yaml
from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.config import acknowledgement_edits
from kafka_fleet.config.acknowledgement_edits import add_acknowledgement, remove_acknowledgement
from kafka_fleet.config.acknowledgement_limits import CLUSTER_BYTES, LONGEST, MOST, MOST_OF_CLUSTER
from kafka_fleet.config.acknowledgements import load_acknowledgements
from support.builders.acknowledged import SAID, entry, row
from support.builders.documents import of_finding, reopen_reason
from support.builders.letter_rows import DS

LONG = "group " + "g" * 32_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "acknowledgements.yaml"


def accepted(subjects, cluster="payments-eu", **more):
    return of_finding(row(subjects=subjects, **more), cluster, DS, *SAID)


def written(path, *entries):
    """A file with these entries as earlier versions wrote them: nothing cut."""
    path.write_text(json.dumps({"version": 1, "acknowledgements": list(entries)}))


@pytest.mark.fault(75)
def test_many_long_names_take_little_room_and_all_entries_stay_in_force(path):
    add_acknowledgement(path, entry(cluster="other"))
    hostile = row(subjects=[f"{LONG}{number}" for number in range(600)], basis=["x" * 32_000])
    add_acknowledgement(path, of_finding(hostile, "payments-eu", DS, *SAID))
    assert path.stat().st_size < 100_000
    found = load_acknowledgements(path)
    assert (found.faults, [one.cluster for one in found.entries]) == ([], ["other", "payments-eu"])
    assert reopen_reason(found.entries[1], hostile, DS) is None
    remove_acknowledgement(path, "payments-eu", "KAFKA-14334")
    assert load_acknowledgements(path) == ([entry(cluster="other")], [])


@pytest.mark.parametrize("name", [LONG, "topic " + "ä" * 200, "group " + "\x00\u2028" * 9_000, "topic " + "🦀" * 76])
@pytest.mark.fault(75)
def test_a_long_name_still_matches_and_another_that_begins_alike_reopens(path, name):
    add_acknowledgement(path, accepted([name]))
    (one,) = load_acknowledgements(path).entries
    assert reopen_reason(one, row(subjects=[name]), DS) is None
    assert "It was acknowledged without " in reopen_reason(one, row(subjects=[name, f"{name}2"]), DS)
    assert reopen_reason(one, row(subjects=[name[:-1] + "x"]), DS) is not None


@pytest.mark.fault(75)
def test_nothing_can_be_named_so_that_it_passes_for_what_was_cut(path):
    one = accepted([LONG])
    (cut,) = one.subjects
    assert len(cut.encode()) > LONGEST
    assert reopen_reason(one, row(subjects=[cut]), DS) is not None
    add_acknowledgement(path, accepted([cut]))
    assert reopen_reason(load_acknowledgements(path).entries[0], row(subjects=[cut]), DS) is None


def test_an_entry_of_an_earlier_version_with_a_whole_name_still_matches(path):
    old = {**entry().model_dump(mode="json", exclude_none=True), "subjects": [LONG, "topic a"]}
    written(path, old)
    (one,) = load_acknowledgements(path).entries
    assert one.acknowledged_by is None
    assert reopen_reason(one, row(subjects=["topic a", LONG]), DS) is None


@pytest.mark.fault(75)
def test_subjects_beyond_the_bound_are_counted_by_their_kind(path):
    many = [*(f"topic t{number}" for number in range(MOST)), *(f"group g{number}" for number in range(30)), "broker 1"]
    add_acknowledgement(path, accepted([*many, "and 7 more listeners"]))
    (one,) = load_acknowledgements(path).entries
    assert one.subjects[MOST:] == ("and 1 more brokers", "and 30 more groups", "and 7 more listeners")
    assert reopen_reason(one, row(subjects=[*many, "group new"]), DS) is None
    assert reopen_reason(one, row(subjects=["topic new"]), DS) == "It was acknowledged without topic new."


@pytest.mark.fault(75)
def test_what_would_be_too_much_is_refused_before_it_is_written(path):
    each = {**entry().model_dump(mode="json", exclude_none=True), "subjects": ["topic a"]}
    written(path, *({**each, "advisory": f"KAFKA-{number}"} for number in range(MOST_OF_CLUSTER)))
    path.write_text(as_block(path))
    before = path.read_bytes()
    sentence = f"would have more than {MOST_OF_CLUSTER} entries or {CLUSTER_BYTES // 2**20} MiB of payments-eu"
    with pytest.raises(FleetFileError, match=sentence):
        add_acknowledgement(path, entry())
    assert path.read_bytes() == before
    add_acknowledgement(path, entry(cluster="other"))
    assert load_acknowledgements(path).entries[-1].cluster == "other"


@pytest.mark.fault(75)
def test_a_file_that_would_be_too_large_is_refused_before_it_is_written(path, monkeypatch):
    add_acknowledgement(path, entry())
    before = path.read_bytes()
    monkeypatch.setattr(acknowledgement_edits, "FILE_BYTES", 2**20 + len(before))
    with path.open("a") as file:
        file.write(f"  # {'x' * 2**20}\n")
    before = path.read_bytes()
    with pytest.raises(FleetFileError, match="would be larger than 1 MiB; remove entries first"):
        add_acknowledgement(path, entry(cluster="other"))
    assert path.read_bytes() == before
    assert load_acknowledgements(path).entries == [entry()]


def as_block(path):
    """The same file, with an entry below the other."""
    listed = json.loads(path.read_text())["acknowledgements"]
    return "version: 1\nacknowledgements:\n" + "".join(f"  - {json.dumps(one)}\n" for one in listed)


@pytest.mark.parametrize(
    ("broken", "sentence", "cluster"),
    [
        (b"  - cluster: payments-eu\n    reason: 'no end\n", "is not valid YAML", "payments-eu"),
        (b"  - cluster: [\n", "is not valid YAML", None),
        (b"  - reason: \xff\n    cluster: payments-eu\n", "is not UTF-8 text", "payments-eu"),
        (b"  - &a x\n  - *a\n", "aliases are not allowed", None),
        (b"  - cluster: payments-eu\n    subjects: [" + b"x" * 2**20 + b"\n", "larger than 1 MiB", "payments-eu"),
        (b"  - " + b"[" * 5_000 + b"\n", "nested too deeply", None),
    ],
    ids=["quote", "bracket", "bytes", "alias", "large", "deep"],
)
@pytest.mark.fault(75)
def test_an_entry_that_cannot_be_parsed_costs_only_itself(path, broken, sentence, cluster):
    add_acknowledgement(path, entry(cluster="a"))
    first = path.read_bytes()
    add_acknowledgement(path, entry(cluster="z"))
    last = path.read_bytes()[len(first) :]
    path.write_bytes(first + b"  # by hand\n" + broken + last)
    found = load_acknowledgements(path)
    assert [one.cluster for one in found.entries] == ["a", "z"]
    assert all("entry 2: " in told or "entry 3: " in told for _name, told in found.faults)
    assert any(name == cluster and sentence in told for name, told in found.faults)
    before = path.read_bytes()
    with pytest.raises(FleetFileError):
        add_acknowledgement(path, entry(cluster="new"))
    assert path.read_bytes() == before


@pytest.mark.fault(75)
def test_an_entry_of_very_many_subjects_costs_only_itself(path):
    good = entry(cluster="other").model_dump(mode="json", exclude_none=True)
    written(path, {**good, "cluster": "payments-eu", "subjects": ["x"] * 1_001}, good)
    ((cluster, told),) = load_acknowledgements(path).faults
    assert (cluster, "entry 1: subjects: " in told) == ("payments-eu", True)
    assert load_acknowledgements(path).entries == [entry(cluster="other")]


@pytest.mark.fault(75)
def test_of_a_file_that_is_too_large_the_entries_are_read_one_by_one(path, monkeypatch):
    for name in ("a", "payments-eu", "z"):
        add_acknowledgement(path, entry(cluster=name))
    text = path.read_text()
    path.write_text(text.replace("cluster: payments-eu\n", f"cluster: payments-eu\n    hidden: {'x' * 2**20}\n"))
    monkeypatch.setattr(fleet_yaml, "MAX_BYTES", 2**20)
    found = load_acknowledgements(path)
    assert [one.cluster for one in found.entries] == ["a", "z"]
    assert found.faults == [("payments-eu", f"{path.name}: entry 2: is larger than 1 MiB")]
