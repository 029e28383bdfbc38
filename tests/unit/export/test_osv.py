"""The known issues as OSV: each is valid by the published schema, and its ranges mean the releases that it is in."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.export.osv import events, osv_id, osv_record
from kafka_fleet.export.packages import artifacts, is_defect
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.ranges import parse_affected
from kafka_fleet.knowledge.releases import apache_release, catalogue

SCHEMAS = Path(__file__).resolve().parents[2] / "data/schemas"
DEFECTS = [one for one in load_advisories().values() if is_defect(one)]


@cache
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / "osv.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def is_affected(version: str, found: list[dict[str, str]]) -> bool:
    """OSV's own algorithm (https://ossf.github.io/osv-schema/#evaluation): the last event at or before it decides."""
    inside = False
    for one in found:
        ((kind, at),) = one.items()
        if at == "0" or apache_release(at) <= apache_release(version):
            inside = kind == "introduced"
    return inside


@pytest.mark.parametrize("advisory", DEFECTS, ids=lambda one: one.id)
def test_a_record_is_valid_and_names_exactly_the_affected_releases(advisory: Any) -> None:
    record = osv_record(advisory)
    validator().validate(record)
    releases = sorted({*catalogue().dates, *catalogue().expected})
    for part in record["affected"]:
        (span,) = part["ranges"]
        assert {str(one) for one in releases if is_affected(str(one), span["events"])} == {
            str(one) for one in releases if one in advisory.affected.releases
        }
    assert record["id"] == osv_id(advisory.id)
    assert json.loads(json.dumps(record)) == record


def test_the_schema_refuses_what_is_wrong() -> None:
    record = osv_record(DEFECTS[0])
    for wrong in (
        {"id": DEFECTS[0].id if not DEFECTS[0].id.startswith("CVE") else "KAFKA-1"},
        {"modified": "yesterday"},
        {"affected": [{**record["affected"][0], "package": {"ecosystem": "Jars", "name": "a"}}]},
        {"affected": [{**record["affected"][0], "ranges": [{"type": "ECOSYSTEM", "events": []}]}]},
        {"more": 1},
    ):
        with pytest.raises(jsonschema.ValidationError):
            validator().validate({**record, **wrong})


@pytest.mark.parametrize(
    ("of", "found"),
    [
        (("2.4.0", ["3.3.2", "3.4.0"], []), [("introduced", "2.4.0"), ("fixed", "3.3.2")]),
        (
            ("3.0.0", ["3.3.2", "3.5.1"], []),
            [("introduced", "3.0.0"), ("fixed", "3.3.2"), ("introduced", "3.4.0"), ("fixed", "3.5.1")],
        ),
        ((None, ["0.9.0.0"], []), [("introduced", "0"), ("fixed", "0.9.0.0")]),
        (("4.0.0", [], []), [("introduced", "4.0.0")]),
        ((None, [], ["0.10.1.0-0.10.1.0"]), [("introduced", "0.10.1.0"), ("fixed", "0.10.1.1")]),
    ],
)
def test_events(of: tuple[Any, list[str], list[str]], found: list[tuple[str, str]]) -> None:
    introduced, fixed, ranges = of
    affected = parse_affected(introduced, fixed, ranges, [])
    assert [next(iter(one.items())) for one in events(affected, catalogue())] == found


def test_artifacts_by_component() -> None:
    known = load_advisories()
    assert artifacts(known["KAFKA-14334"]) == ["kafka_2.13", "kafka_2.12", "kafka_2.11"]
    assert artifacts(known["KAFKA-10888"]) == ["kafka-clients"]
    assert not is_defect(known["OPS-LAST-ROLL"])  # an operation, in no release
    assert not is_defect(known["KAFKA-16086"])  # never released
    assert not is_defect(known["CFG-LISTEN-BACKLOG"])  # a setting, whose default came with a release


def test_a_cve_is_an_alias_and_no_other_issue_is() -> None:
    for one in DEFECTS:
        record = osv_record(one)
        assert record.get("aliases", []) == ([one.id] if one.id.startswith("CVE-") else [])
        assert all(url["url"].startswith("https://") for url in record["references"])


def test_the_command_writes_each_once_and_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _again in range(2):
        assert main(["export", "--format", "osv", "--output", str(tmp_path / "new/osv")]) == 0
        said = capsys.readouterr()
        assert said.out == f"{len(DEFECTS)} files in {tmp_path / 'new/osv'}\n"
        assert re.match(r"\d+ known issues are no defects", said.err)
    files = sorted(path.name for path in (tmp_path / "new/osv").iterdir())
    assert files == sorted(f"{osv_id(one.id)}.json" for one in DEFECTS)
    for path in (tmp_path / "new/osv").iterdir():
        validator().validate(json.loads(path.read_text()))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["osv", "--cluster", "a"], "--cluster is of --format openvex"),
        (["osv", "--date", "2026-11-20"], "--date is of --format openvex"),
        (["osv", "--product", "pkg:oci/kafka"], "--product is of --format openvex"),
        (["openvex", "--date", "2026-11-20"], "--format openvex needs --home and --date"),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, capsys, words: list[str], sentence: str) -> None:
    assert main(["export", "--output", str(tmp_path), "--format", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
