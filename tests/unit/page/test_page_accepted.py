"""Acknowledgements in the metrics and in the API: which hold on the day, and that an edit shows at once."""

import pytest
import yaml
from fastapi.testclient import TestClient

from kafka_fleet.config import acknowledgements
from kafka_fleet.page import accepted, metrics
from kafka_fleet.page.api import PATH
from kafka_fleet.page.app import make_app
from support.builders.letter_rows import DS, finding
from support.builders.published_days import BUG, confirmed, day, dossier, publish_day

SECRET = "secret-merger-4711"
ENTRY = {
    "cluster": "a", "advisory": "KAFKA-14334", "reason": f"Planned with {SECRET}.", "owner": "oncall@example.org",
    "acknowledged_by": "Airflow user alice", "acknowledged": DS, "expires": "2026-12-31", "verdict": "confirmed",
}  # fmt: skip
SYMPTOM = {**ENTRY, "verdict": "look_alike", **BUG}
del SYMPTOM["advisory"]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    for kept in (metrics._series, metrics._letters, metrics._accepted, accepted._loaded):
        kept.cache_clear()


@pytest.fixture
def file(tmp_path):
    """Where acknowledgements are, of a home with three findings."""
    rows = [confirmed() | {"subjects": ["broker 2"]}, finding(None, "look_alike", signature_state="detected", **BUG)]
    clusters = {"a": (dossier("a", DS), rows), "b": (dossier("b", DS), [confirmed()])}
    publish_day(tmp_path, DS, clusters, letters=False)
    (tmp_path / "fleet.yaml").write_text("")
    return tmp_path / "acknowledgements.yaml"


def write(file, *entries, text=None):
    file.write_text(yaml.safe_dump({"version": 1, "acknowledgements": entries}) if text is None else text)


def web(file):
    return TestClient(make_app(lambda: file.parent, [], lambda: file.with_name("fleet.yaml")))


def labelled(file):
    """cluster/advisory -> the label, as a scrape has it."""
    lines = [one for one in web(file).get("/metrics").text.splitlines() if one.startswith("kafka_fleet_finding{")]
    found = {}
    for line in lines:
        labels = dict(part.split("=", 1) for part in line[len("kafka_fleet_finding{") :].split("}")[0].split(","))
        found[f"{labels['cluster']}/{labels.get('advisory', '-')}".replace('"', "")] = labels["acknowledged"].strip('"')
    return found


def answered(file, asked=""):
    items = web(file).get(f"{PATH}/findings?{asked}").json()["items"]
    return {f"{one['cluster']}/{one['advisory'] or '-'}": one["acknowledgement"] for one in items}


NOBODY = {"a/KAFKA-14334": "false", "a/-": "false", "b/KAFKA-14334": "false"}


def test_the_finding_that_is_acknowledged_and_no_other_says_so(file):
    write(file, ENTRY)
    assert labelled(file) == {**NOBODY, "a/KAFKA-14334": "true"}
    write(file, SYMPTOM)
    assert labelled(file) == {**NOBODY, "a/-": "true"}


def test_an_acknowledgement_given_and_taken_back_at_noon_shows_in_the_next_scrape(file):
    assert labelled(file) == NOBODY
    write(file, ENTRY)
    assert labelled(file)["a/KAFKA-14334"] == "true"
    write(file)
    assert labelled(file) == NOBODY
    write(file, ENTRY)
    file.write_text(file.read_text().replace("2026-12-31", DS))
    assert labelled(file)["a/KAFKA-14334"] == "true"
    file.unlink()
    assert labelled(file) == NOBODY


@pytest.mark.parametrize(
    ("other", "reopened"),
    [
        ({"acknowledged": day(9), "expires": day(1)}, f"It was acknowledged until {day(1)}."),
        ({"verdict": "exposed"}, "It was acknowledged as exposed."),
        ({"severity": "low"}, "It was acknowledged with severity low."),
        ({"release": "3.3.0"}, "It was acknowledged for release 3.3.0."),
        ({"subjects": []}, "It was acknowledged without broker 2."),
    ],
)
def test_one_that_does_not_hold_is_none_and_the_api_says_why(file, other, reopened):
    write(file, ENTRY | other)
    assert labelled(file) == NOBODY
    said = answered(file)["a/KAFKA-14334"]
    assert (said["holds"], said["reopened"]) == (False, reopened)


def test_it_ends_with_the_day_after_its_last(file):
    write(file, ENTRY | {"acknowledged": day(9), "expires": DS})
    assert labelled(file)["a/KAFKA-14334"] == "true"
    publish_day(file.parent, day(-1), {"a": (dossier("a", day(-1)), [confirmed()])}, letters=False)
    assert labelled(file) == {"a/KAFKA-14334": "false"}
    assert answered(file)["a/KAFKA-14334"]["holds"] is False
    assert answered(file, f"day={DS}")["a/KAFKA-14334"]["holds"] is True


def test_a_day_that_is_judged_again_is_compared_again(file):
    write(file, ENTRY | {"verdict": "exposed"})
    assert labelled(file)["a/KAFKA-14334"] == "false"
    row = finding("KAFKA-14334", "exposed", **BUG)
    publish_day(file.parent, DS, {"a": (dossier("a", DS), [row])}, letters=False)
    assert labelled(file) == {"a/KAFKA-14334": "true"}


def test_the_api_says_who_why_and_until_when(file):
    write(file, ENTRY)
    said = answered(file)
    assert said == {
        "a/-": None,
        "b/KAFKA-14334": None,
        "a/KAFKA-14334": {
            "holds": True, "reopened": None, "owner": ENTRY["owner"], "reason": ENTRY["reason"],
            "acknowledged_by": "Airflow user alice", "acknowledged": DS, "expires": "2026-12-31",
        },
    }  # fmt: skip
    row = web(file).get(f"{PATH}/findings?cluster=a&advisory=KAFKA-14334").json()["items"][0]
    assert web(file).get(f"{PATH}/findings/{row['fingerprint']}").json()["finding"] == row


def test_who_and_why_are_in_no_metric(file):
    write(file, ENTRY)
    text = web(file).get("/metrics").text
    assert 'acknowledged="true"' in text
    assert not [word for word in (SECRET, "oncall", "alice", "2026-12-31") if word in text]


def test_hostile_words_of_an_entry_come_through_the_api_as_ascii_json(file):
    hostile = '</script>"\\\u202e\u2028 x' * 3
    write(file, ENTRY | {"reason": hostile})
    answer = web(file).get(f"{PATH}/findings?cluster=a&advisory=KAFKA-14334")
    assert answer.content.isascii()
    assert answer.json()["items"][0]["acknowledgement"]["reason"] == hostile


@pytest.mark.parametrize("text", ["{", "- 1", "version: 2\n", "version: 1\nacknowledgements: [{cluster: a}]\n"])
def test_what_is_not_valid_acknowledges_nothing_and_takes_no_metric_away(file, text):
    write(file, text=text)
    assert labelled(file) == NOBODY
    assert set(answered(file).values()) == {None}


def test_a_file_that_cannot_be_reached_acknowledges_nothing(file, monkeypatch):
    def refuse(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    write(file, ENTRY)
    monkeypatch.setattr(type(file), "stat", refuse)
    assert accepted.accepted_beside(file.with_name("fleet.yaml")) == (
        [], [(None, "acknowledgements.yaml: cannot be read: Permission denied")],
    )  # fmt: skip


def test_without_a_fleet_file_nothing_is_acknowledged(file):
    write(file, ENTRY)
    alone = TestClient(make_app(lambda: file.parent, []))
    assert 'acknowledged="true"' not in alone.get("/metrics").text
    assert {one["acknowledgement"] for one in alone.get(f"{PATH}/findings").json()["items"]} == {None}


def test_a_cluster_whose_brief_cannot_be_read_costs_no_other_its_acknowledgement(file):
    write(file, ENTRY, {**ENTRY, "cluster": "b"}, {**ENTRY, "cluster": "gone"})
    (file.parent / f"findings/ds={DS}/g0001/verdicts/a.json").write_text("damaged")
    assert labelled(file) == {"b/KAFKA-14334": "true"}
    said = answered(file)
    assert (said["a/KAFKA-14334"], said["b/KAFKA-14334"]["holds"]) == (None, True)


def test_a_file_that_nobody_touched_is_parsed_once_and_one_that_was_just_written_each_time(file, monkeypatch):
    parsed = []
    load = acknowledgements.load_acknowledgements
    monkeypatch.setattr(accepted, "load_acknowledgements", lambda path: parsed.append(path) or load(path))
    write(file, ENTRY)
    for _ in range(2):
        labelled(file)
    assert len(parsed) == 2  # another edit within the same tick could not be told apart
    monkeypatch.setattr(accepted, "FRESH_S", 0.0)  # as if it was written a while ago
    for _ in range(3):
        assert labelled(file)["a/KAFKA-14334"] == "true"
    assert len(parsed) == 3
    write(file)
    assert labelled(file) == NOBODY
