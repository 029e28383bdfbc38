"""Acknowledged findings: a file that costs only its broken entries, and reasons why one does not hold any more."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.config.acknowledgement_edits import add_acknowledgement, remove_acknowledgement
from kafka_fleet.config.acknowledgements import Acknowledgement, load_acknowledgements
from support.builders.acknowledged import SAID, entry, row
from support.builders.documents import acknowledgement_states, of_finding, reopen_reason
from support.builders.letter_rows import DS


def test_a_finding_as_it_stands_is_acknowledged_and_read_back(tmp_path):
    path = tmp_path / "acknowledgements.yaml"
    other = of_finding(row(advisory=None, signature="fetch_latency", cause="follower"), "other", DS, *SAID)
    add_acknowledgement(path, entry())
    path.write_text(path.read_text() + "  # reviewed by two\n")
    add_acknowledgement(path, other)
    assert load_acknowledgements(path) == ([entry(), other], [])
    assert "# reviewed by two" in path.read_text()
    assert other.key == "symptom fetch_latency (follower)"
    with pytest.raises(FleetFileError, match="remove it first"):
        add_acknowledgement(path, entry())


def test_no_file_acknowledges_nothing(tmp_path):
    assert load_acknowledgements(tmp_path / "acknowledgements.yaml") == ([], [])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("{", "is not valid YAML"), ("[]", "must be a mapping"), ("version: 2\nacknowledgements: []", "version: 1")],
)
def test_a_file_that_cannot_be_read_is_one_sentence_for_all_and_is_not_written_over(tmp_path, content, sentence):
    path = tmp_path / "acknowledgements.yaml"
    path.write_text(content)
    entries, ((cluster, told),) = load_acknowledgements(path)
    assert (entries, cluster) == ([], None)
    assert sentence in told
    with pytest.raises(FleetFileError, match=sentence):
        add_acknowledgement(path, entry())
    assert path.read_text() == content


def test_a_list_in_another_style_is_left_as_it_is(tmp_path):
    path = tmp_path / "acknowledgements.yaml"
    path.write_text("version: 1\nacknowledgements: []\n")
    with pytest.raises(FleetFileError, match="cannot be appended"):
        add_acknowledgement(path, entry())
    assert path.read_text() == "version: 1\nacknowledgements: []\n"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"reason": "later"}, "reason: "),
        ({"owner": "nobody"}, "owner: "),
        ({"expires": "2026-11-19"}, "expires at least on the day"),
        ({"expires": "2028-01-01"}, "at most a year later"),
        ({"expires": "soon"}, "expires: "),
        ({"acknowledged": "9999-12-31"}, "expires at least on the day"),
        ({"signature": "fetch_latency"}, "names an advisory, or a signature with its cause"),
        ({"advisory": None}, "names an advisory"),
        ({"verdict": "not_affected"}, "verdict: "),
        ({"hidden": True}, "hidden: "),
        ({"cluster": "../x"}, "cluster: "),
    ],
)
def test_a_broken_entry_costs_only_itself(tmp_path, wrong, sentence):
    good = {**entry().model_dump(mode="json", exclude_none=True), "cluster": "other"}
    bad = {**good, "cluster": "payments-eu", **wrong}
    path = tmp_path / "acknowledgements.yaml"
    path.write_text(json.dumps({"version": 1, "acknowledgements": [bad, good, good]}))
    entries, faults = load_acknowledgements(path)
    assert [one.cluster for one in entries] == ["other"]
    assert faults[0][0] == bad["cluster"]
    assert "entry 1: " in faults[0][1]
    assert sentence in faults[0][1]
    assert faults[-1] == ("other", f"{path.name}: entry 3: KAFKA-14334 of other has an earlier entry")


@pytest.mark.parametrize(
    ("now", "ds", "why"),
    [
        (row(), DS, None),
        (row(), "2026-12-31", None),
        (row(verdict="exposed", severity="low", subjects=["broker 2"], basis=[]), DS, None),
        (row(), "2027-01-01", "It was acknowledged until 2026-12-31."),
        (row(severity="critical"), DS, "It was acknowledged with severity high."),
        (row(release="3.5.0"), DS, "It was acknowledged for release 3.3.1."),
        (row(subjects=["broker 2", "broker 3"]), DS, "It was acknowledged without broker 3."),
        (row(basis=["another"]), DS, "A setting that it rests on is another one now: another."),
    ],
)
def test_it_holds_until_it_expires_or_the_finding_is_another(now, ds, why):
    assert reopen_reason(entry(), now, ds) == why


def test_an_entry_that_names_nothing_is_reopened_by_the_first_name_and_one_without_the_field_is_not():
    assert reopen_reason(entry(subjects=()), row(), DS) == "It was acknowledged without broker 2, topic a."
    assert reopen_reason(entry(subjects=None, basis=None), row(subjects=["broker 9"], basis=["other"]), DS) is None
    assert of_finding(row(subjects=["group " + "g" * 32_000]), "payments-eu", DS, *SAID).subjects is not None


def test_a_worse_verdict_reopens():
    assert reopen_reason(entry(verdict="exposed"), row(), DS) == "It was acknowledged as exposed."


def test_only_the_clusters_own_entries_stand():
    entries = [entry(), entry(cluster="other", release="1.0.0")]
    assert {key: void for key, (_one, void) in acknowledgement_states(entries, "payments-eu", [row()], DS).items()} == {
        "KAFKA-14334": None
    }
    assert acknowledgement_states(entries, "third", [row()], DS) == {}


def test_the_model_refuses_what_the_file_would():
    with pytest.raises(ValueError, match="reason"):
        of_finding(row(), "payments-eu", DS, "no", *SAID[1:])
    assert isinstance(entry(), Acknowledgement)


def test_an_entry_is_taken_back_and_all_else_stays(tmp_path):
    path = tmp_path / "acknowledgements.yaml"
    for name in ("a", "payments-eu", "z"):
        add_acknowledgement(path, entry(cluster=name))
        path.write_text(path.read_text() + f"  # after {name}\n")
    whole = path.read_text()
    remove_acknowledgement(path, "payments-eu", "KAFKA-14334")
    assert [one.cluster for one in load_acknowledgements(path).entries] == ["a", "z"]
    lines = path.read_text().splitlines()
    assert [line for line in lines if line.startswith("  #")] == ["  # after a", "  # after payments-eu", "  # after z"]
    assert set(lines) < set(whole.splitlines())
    for name in ("a", "z"):
        remove_acknowledgement(path, name, "KAFKA-14334")
    assert load_acknowledgements(path) == ([], [])
    add_acknowledgement(path, entry())
    assert load_acknowledgements(path).entries == [entry()]


def test_an_entry_behind_the_one_that_is_taken_back_does_not_take_its_place(tmp_path):
    path = tmp_path / "acknowledgements.yaml"
    add_acknowledgement(path, entry())
    head, _, item = path.read_text().partition("acknowledgements:\n")
    path.write_text(f"{head}acknowledgements:\n{item}{item.replace('January', 'June')}")
    assert len(load_acknowledgements(path).faults) == 1
    remove_acknowledgement(path, "payments-eu", "KAFKA-14334")
    assert load_acknowledgements(path) == ([], [])


@pytest.mark.parametrize(
    "content",
    [
        "version: 1\nacknowledgements: [{cluster: payments-eu, %s}]\n",
        "version: 1\nacknowledgements: []\n",
        "version: 1\n",
        "{",
    ],
)
def test_what_cannot_be_cut_out_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "acknowledgements.yaml"
    fields = entry().model_dump(mode="json", exclude_none=True, exclude={"cluster"})
    content = content.replace("%s", json.dumps(fields)[1:-1])
    path.write_text(content)
    with pytest.raises(FleetFileError, match=r"no entry|by hand|not valid YAML"):
        remove_acknowledgement(path, "payments-eu", "KAFKA-14334")
    assert path.read_text() == content


def test_a_tab_within_a_value_is_read_and_its_entry_taken_out_by_hand(tmp_path):
    path = tmp_path / "acknowledgements.yaml"
    add_acknowledgement(path, entry())
    before = path.read_text().replace("January.", "January \t@ops.")
    path.write_text(before)
    (read,) = load_acknowledgements(path).entries
    assert read.reason == "Upgrade is planned for January \t@ops."
    with pytest.raises(FleetFileError, match="cannot be cut out; take it out by hand"):
        remove_acknowledgement(path, "payments-eu", "KAFKA-14334")
    assert path.read_text() == before


def test_rivals_lose_no_entry(tmp_path):
    path = tmp_path / "acknowledgements.yaml"
    entries = [entry(cluster=f"c{number}") for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: add_acknowledgement(path, one), entries))
    assert sorted(one.cluster for one in load_acknowledgements(path).entries) == sorted(one.cluster for one in entries)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: remove_acknowledgement(path, one.cluster, one.key), entries[1:]))
    assert load_acknowledgements(path).entries == [entry(cluster="c0")]
