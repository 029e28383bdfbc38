"""A cluster's verdicts as OpenVEX: valid by the published schema, and each verdict under the status that it means."""

import json
from pathlib import Path

import jsonschema
import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.documents.finding import Finding
from kafka_fleet.export.openvex import openvex
from kafka_fleet.knowledge.advisories import load_advisories
from support.builders.letter_rows import DS, finding
from support.builders.openvex_documents import IMAGE, document, report, statement, validator
from support.builders.published_days import dossier, publish_day
from support.homes.golden_homes import CLUSTER, unpack

KNOWN = load_advisories()
BUG, CLIENT_BUG, SETTING, CVE = "KAFKA-14334", "KAFKA-10888", "OPS-LAST-ROLL", "CVE-2019-12399"


def test_the_document() -> None:
    found = document([finding(BUG, "confirmed")], "3.3.1")
    assert {key: found[key] for key in ("@context", "author", "timestamp", "version")} == {
        "@context": "https://openvex.dev/ns/v0.2.0",
        "author": "Example Ltd.",
        "timestamp": "2026-11-21T00:00:00Z",  # the end of the day
        "version": 3,  # of the generation: a day that is judged again has the same id and a higher version
    }
    assert found["@id"] == document([finding(CVE, "exposed")], "3.3.1")["@id"]


def test_an_affected_cluster_with_its_software_and_what_to_do() -> None:
    found = statement(finding(BUG, "confirmed", upgrade_to="3.3.2"), "3.3.1", "3.3.1", "3.2.0-ccs/1")
    assert (found["status"], found["vulnerability"]["name"]) == ("affected", BUG)
    assert found["vulnerability"]["@id"] == "https://issues.apache.org/jira/browse/KAFKA-14334"
    assert found["action_statement"] == f"Upgrade (broker) to 3.3.2. Until then: {KNOWN[BUG].workaround}"
    assert "symptom was measured" in found["status_notes"]
    (product,) = found["products"]
    assert product["@id"] == "pkg:generic/kafka-cluster/payments-eu"
    assert [one["@id"] for one in product["subcomponents"]] == [
        "pkg:maven/org.apache.kafka/kafka_2.13@3.2.0-ccs%2F1",
        "pkg:maven/org.apache.kafka/kafka_2.13@3.3.1",
    ]


def test_a_clients_issue_names_the_library() -> None:
    found = statement(finding(CLIENT_BUG, "exposed"), "3.3.1")
    assert found["action_statement"] == KNOWN[CLIENT_BUG].workaround
    assert [one["@id"] for one in found["products"][0]["subcomponents"]] == ["pkg:maven/org.apache.kafka/kafka-clients"]


@pytest.mark.parametrize(
    ("verdict", "exposure", "status"),
    [
        ("confirmed", "exposed", "affected"),
        ("exposed", "exposed", "affected"),
        ("unknown", "unknown", "under_investigation"),
        ("look_alike", "unknown", "under_investigation"),
        ("look_alike", "not_exposed", "fixed"),  # the symptom is there, and the release has the fix
        ("not_affected", "not_exposed", "fixed"),
    ],
)
def test_the_status_of_each_verdict(verdict: str, exposure: str, status: str) -> None:
    assert statement(finding(BUG, verdict, exposure=exposure), "3.3.2")["status"] == status


def test_what_could_not_be_decided_says_what_was_missing() -> None:
    found = statement(finding(BUG, "unknown", exposure="unknown", missing=["a was not read", "b neither."]), "3.3.1")
    assert found["status_notes"] == f"Verdict of {DS}: unknown. Not known: a was not read; b neither."


def test_what_is_no_defect_of_software_is_left_out() -> None:
    rows = [finding(SETTING, "exposed"), finding(None, "look_alike"), finding("KAFKA-0", "exposed")]
    assert openvex(report("3.3.1"), [Finding.model_validate(row) for row in rows], KNOWN, "x", 1) is None
    found = document([*rows, finding(CVE, "exposed")], "2.2.0")
    assert [one["vulnerability"]["name"] for one in found["statements"]] == [CVE]


def test_the_schema_refuses_what_is_wrong() -> None:
    good = document([finding(BUG, "confirmed")], "3.3.1")
    (one,) = good["statements"]
    for wrong in (
        {"statements": []},
        {"statements": [{**one, "status": "confirmed"}]},
        {"statements": [{key: value for key, value in one.items() if key != "action_statement"}]},
        {"statements": [{**one, "status": "not_affected"}]},
        {"statements": [{**one, "status": "not_affected", "justification": "it is"}]},
        {"version": 0},
    ):
        with pytest.raises(jsonschema.ValidationError):
            validator().validate({**good, **wrong})


def test_the_command_writes_a_file_for_each_cluster(tmp_path: Path, capsys) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    clusters = {name: (dossier(name, DS), [finding(BUG, "confirmed")]) for name in ("a", "b")}
    publish_day(home, DS, {**clusters, "c": (dossier("c", DS), [])}, letters=False)
    command = ["export", "--format", "openvex", "--home", str(home), "--date", DS, "--output", str(out)]
    assert main(command) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == (f"2 files in {out}\n", "c: nothing was judged of it\n")
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(first) == ["a.openvex.json", "b.openvex.json"]
    assert main([*command, "--cluster", "a"]) == 0
    assert capsys.readouterr().out == f"1 file in {out}\n"
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first
    assert main([*command, "--cluster", "z"]) == 2
    assert f"{DS} has no cluster z" in capsys.readouterr().err
    assert main([*command[:-3], "2020-01-01", "--output", str(out)]) == 2
    assert "2020-01-01 is not judged" in capsys.readouterr().err


def test_the_command_takes_further_products(tmp_path: Path, capsys) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    publish_day(home, DS, {"a": (dossier("a", DS), [finding(BUG, "confirmed")])}, letters=False)
    command = ["export", "--format", "openvex", "--home", str(home), "--date", DS, "--output", str(out)]
    other = "pkg:maven/org.apache.kafka/kafka-clients@3.3.1"
    assert main([*command, "--product", IMAGE, "--product", other]) == 0
    assert capsys.readouterr().err == f"{other}: no statement is about it\n"
    found = json.loads((out / "a.openvex.json").read_text())
    validator().validate(found)
    assert [one["@id"] for one in found["statements"][0]["products"]] == ["pkg:generic/kafka-cluster/a", IMAGE]


@pytest.mark.parametrize(
    "text",
    [
        "apache/kafka:3.9.1",
        "pkg:oci",
        "pkg:oci/",
        "oci/kafka",
        "pkg:oci//kafka",
        "pkg:oci/k x",
        "pkg:9/k",
        "pkg:oci/%2",
    ],
)
def test_a_product_that_is_no_package_url_is_refused_in_one_sentence(tmp_path: Path, capsys, text: str) -> None:
    given = ["--home", str(tmp_path), "--date", DS, "--output", str(tmp_path / "out"), "--product", text]
    assert main(["export", "--format", "openvex", *given]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"--product {text!r} is no package URL, pkg:type/name, such as pkg:oci/kafka?" in line
    assert not (tmp_path / "out").exists()


def test_days_of_every_version_can_be_exported(tmp_path: Path, capsys) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    unpack(home, "judged")
    for path in sorted((home / "findings").iterdir()):
        ds = path.name.removeprefix("ds=")
        assert main(["export", "--format", "openvex", "--home", str(home), "--date", ds, "--output", str(out)]) == 0
        found = json.loads((out / f"{CLUSTER}.openvex.json").read_text())
        validator().validate(found)
        status = {one["vulnerability"]["name"]: one["status"] for one in found["statements"]}
        assert status[BUG] == "affected", ds
        assert {"affected", "fixed", "not_affected"} <= set(status.values()), ds
        said = " ".join(one.get("impact_statement", "") for one in found["statements"])
        assert "does not hold here: The cluster keeps its metadata in ZooKeeper." in said, ds
        assert "does not hold here: The cluster keeps its metadata in a KRaft quorum." not in said, ds
        assert "this cluster does not have" not in said, ds
