"""The advisory files, their faults, and the exposure of clusters to them."""

import re
from pathlib import Path

import pytest
import yaml

from kafka_fleet.knowledge.advisories import Advisory, AdvisoryError, load_advisories
from kafka_fleet.knowledge.ranges import line_span
from kafka_fleet.knowledge.releases import apache_release, catalogue

ADVISORIES = load_advisories()
FOLDER = Path(__file__).parents[3] / "plugins" / "kafka_fleet" / "knowledge" / "issues"
SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
DEFAULTS: dict[str, str | None] = {"replica.selector.class": "", "listeners": "PLAINTEXT://:9092"}


def test_every_file_is_loaded() -> None:
    assert set(ADVISORIES) == {file.stem for file in FOLDER.glob("*.yaml")}


def test_every_founding_issue_has_its_file() -> None:
    lines = (Path(__file__).resolve().parents[2] / "data" / "known_issue_ids.txt").read_text().splitlines()
    ids = [line for line in lines if line and not line.startswith("#")]
    assert len(ids) == len(set(ids)) == 110
    assert sorted(set(ids) - set(ADVISORIES)) == []


def test_at_least_forty_known_issues_are_measured_by_a_symptom() -> None:
    assert len([one for one in load_advisories().values() if one.signature]) >= 40


def test_fixes_are_published_or_expected_and_not_affected() -> None:
    table = catalogue()
    for advisory in ADVISORIES.values():
        if advisory.affected is None or advisory.affected.never_released:
            continue
        affected = advisory.affected.releases
        for release in affected.fixed:
            assert table.known(release), f"{advisory.id} names {release}"
            assert release not in affected
        assert any(release in affected for release in table.announced), advisory.id


def test_named_lines_without_fix_are_all_there_are() -> None:
    for advisory in ADVISORIES.values():
        if advisory.affected is not None and advisory.affected.lines_without_fix:
            spans = [line_span(text) for text in advisory.affected.lines_without_fix]
            for line in advisory.affected.releases.lines_without_fix(catalogue()):
                assert any(first <= line <= last for first, last in spans), f"{advisory.id} leaves out {line}"


def test_an_issue_that_no_setting_or_release_decides_is_marked_so() -> None:
    for advisory in ADVISORIES.values():
        if advisory.affected is None:
            assert any(p.kind == "required" for p in advisory.preconditions) or advisory.signature, advisory.id


@pytest.mark.parametrize(
    ("advisory", "inside", "outside"),
    [
        ("KAFKA-7215", ["0.11.0.3", "2.0.1"], ["2.1.0"]),
        ("KAFKA-7415", ["0.11.0.0", "1.1.1", "2.0.0"], ["0.10.2.2", "2.0.1", "2.1.0"]),
        ("KAFKA-9254", ["1.1.0", "2.3.1", "2.4.0"], ["1.0.2", "2.4.1", "2.5.0"]),
        ("KAFKA-9752", ["2.1.1", "2.2.2", "2.4.1"], ["2.1.0", "2.5.0"]),
        ("KAFKA-12890", ["2.6.1", "2.7.2", "2.8.0"], ["2.6.0", "2.8.1", "3.0.0"]),
        ("KAFKA-13544", ["2.7.2", "2.8.1", "3.0.0"], ["2.6.3", "2.8.2", "3.0.1", "3.1.0"]),
        ("KAFKA-14704", ["2.8.0", "3.3.2", "3.4.0"], ["2.7.2", "3.4.1", "3.5.0"]),
        ("KAFKA-15552", ["3.4.1", "3.5.1", "3.6.0"], ["3.3.2", "3.5.2", "3.6.1"]),
        ("KAFKA-16171", ["3.5.2", "3.6.1"], ["3.6.2", "3.7.0"]),
        ("KAFKA-17062", ["3.6.2", "3.7.2", "3.8.0"], ["3.8.1", "3.9.0"]),
        ("KAFKA-20254", ["4.2.0"], ["4.1.2", "4.2.1", "4.3.0"]),
        ("KAFKA-10134", ["2.5.0", "2.6.0"], ["2.4.1", "2.5.1", "2.6.1"]),
        ("CFG-LEGACY-PARTITIONER", ["3.3.1", "3.9.2"], ["3.2.3", "4.0.0"]),
    ],
)
def test_ranges_of_single_issues(advisory: str, inside: list[str], outside: list[str]) -> None:
    entry = ADVISORIES[advisory].affected
    assert entry is not None
    assert [text for text in inside if apache_release(text) not in entry.releases] == []
    assert [text for text in outside if apache_release(text) in entry.releases] == []


def broken(tmp_path: Path, **changes: object) -> str:
    content = yaml.safe_load((FOLDER / "KAFKA-14334.yaml").read_text())
    (tmp_path / "KAFKA-14334.yaml").write_text(yaml.safe_dump({**content, **changes}))
    with pytest.raises(AdvisoryError) as caught:
        load_advisories(tmp_path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"sevrity": 1}, "KAFKA-14334.yaml: sevrity: unknown key; did you mean severity? allowed: id, title,"),
        ({"severity": "urgent"}, "KAFKA-14334.yaml: severity:"),
        (
            {"components": ["brokers"]},
            "KAFKA-14334.yaml: components, entry 1: no such word: brokers; did you mean broker?",
        ),
        ({"id": "KAFKA-1"}, "KAFKA-14334.yaml: id:"),
        ({"upgrade_component": "client"}, "upgrade_component client is not among components"),
        ({"affected": {"introduced": "3.3.0", "fixed": ["3.2.0"]}}, "KAFKA-14334.yaml: affected:"),
        ({"affected": {"fixed": ["3.3.1", "3.3.2"]}}, "line 3.3 twice"),
        ({"affected": {"fixed": ["3.3.9"]}}, "fixed: 3.3.9 was never published"),
        ({"affected": {"introduced": "2.4.2"}}, "introduced: 2.4.2 was never published"),
        ({"affected": {"ranges": ["3.0.0-3.0.9"]}}, "ranges: 3.0.9 was never published"),
        ({"affected": {"never_released": True, "fixed": ["3.3.2"]}}, "never_released: takes no other field"),
        ({"id": "KAFKA-014334"}, "KAFKA-14334.yaml: id:"),
        ({"summary": "no full stop at the end"}, "KAFKA-14334.yaml: summary:"),
        ({"signature": {"id": "fetch_latency", "causes": ["follower", "follower"]}}, "repeats an entry"),
        ({"preconditions": [{"id": "x", "kind": "required", "description": "long enough"}]}, "needs a test"),
    ],
)
def test_faults_name_file_and_field(tmp_path: Path, changes: dict[str, object], where: str) -> None:
    said = broken(tmp_path, **changes)
    line = int(re.findall(r"^KAFKA-14334.yaml, line (\d+): ", said)[0])
    written = (tmp_path / "KAFKA-14334.yaml").read_text().splitlines()
    key = next(iter(changes)) if where.startswith("KAFKA") else ""
    assert key in "".join(written[max(0, line - 2) : line])  # an item of a list has the line after its key
    assert where in re.sub(r", line \d+", "", said)


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ({"shell": "rm"}, "must use one of"),
        ({"broker_config": "a", "is": "set", "value": 1}, "takes no value"),
        ({"broker_config": "a", "is": "at_least"}, "needs a value"),
        ({"broker_config": "a", "is": "at_least", "value": "many"}, "is no number"),
        ({"broker_config": "a", "is": "version_below", "value": "new"}, "no protocol or metadata version"),
        ({"client_config": "a", "is": "set", "of": "groups"}, "needs a test that reads brokers"),
        ({"mode": "KRaft", "distinct_racks": 2}, "must use one of"),
        (
            {"broker_config": "group.coordinator.new.enable", "is": "equals", "value": "true"},
            "new.enable is not in config_names.yaml, so its value is never stored; add it there first",
        ),
        ({"broker_config": "brand.new.enable", "is": "unset"}, "brand.new.enable is not in config_names.yaml"),
        (
            {"broker_config": "sasl.oauthbearer.jwks.endpoint.url", "is": "includes", "value": "http*"},
            "sasl.oauthbearer.jwks.endpoint.url is not in config_names.yaml",
        ),
    ],
)
def test_the_vocabulary_of_tests_is_closed(tmp_path: Path, test: dict[str, object], words: str) -> None:
    condition = {"id": "x", "kind": "required", "description": "a condition", "test": test}
    assert words in broken(tmp_path, preconditions=[condition])


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "A-1.yaml").write_text("id: [")
    (tmp_path / "A-2.yaml").write_text("just text")
    (tmp_path / "A-3.yaml").write_text("{id: A-3, severity: urgent}")
    with pytest.raises(AdvisoryError) as caught:
        load_advisories(tmp_path)
    lines = str(caught.value).splitlines()
    assert {line.split(",")[0] for line in lines} == {"A-1.yaml", "A-2.yaml", "A-3.yaml"}
    assert "A-3.yaml, line 1: severity: no such word: urgent; allowed: critical, high" in str(caught.value)


GOOD = (FOLDER / "KAFKA-14334.yaml").read_text()


def faults(folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    with pytest.raises(AdvisoryError) as caught:
        load_advisories(folder)
    return str(caught.value).splitlines()


def test_a_key_given_twice_is_a_fault_with_its_line(tmp_path: Path) -> None:
    line = len(GOOD.splitlines()) + 1
    assert faults(tmp_path, **{"KAFKA-14334_yaml": GOOD + "severity: low\n"}) == [
        f"KAFKA-14334.yaml, line {line}: is not valid YAML: a key is given twice: 'severity'"
    ]
    inner = GOOD.replace("  introduced: 2.4.0\n", "  introduced: 2.4.0\n  introduced: 2.5.0\n")
    found = faults(tmp_path, **{"KAFKA-14334_yaml": inner})
    assert len(found) == 1
    assert "a key is given twice: 'introduced'" in found[0]


@pytest.mark.parametrize("name", ["kafka-14334_yaml", "Kafka-14334_yaml"])
def test_two_files_of_one_issue_are_a_fault_however_they_are_spelled(tmp_path: Path, name: str) -> None:
    found = faults(tmp_path, **{"KAFKA-14334_yaml": GOOD, name: GOOD})
    assert any("is already the file of KAFKA-14334" in line for line in found)


def test_an_id_that_another_file_has_is_named_with_that_file(tmp_path: Path) -> None:
    found = faults(tmp_path, **{"KAFKA-14334_yaml": GOOD, "KAFKA-99999_yaml": GOOD})
    assert "KAFKA-99999.yaml: id: KAFKA-14334.yaml is already the file of KAFKA-14334" in found


def test_a_file_that_would_never_be_loaded_is_a_fault(tmp_path: Path) -> None:
    found = faults(tmp_path, **{"KAFKA-14334_yaml": GOOD, "KAFKA-1_yml": "id: KAFKA-1\n"})
    assert found == ["KAFKA-1.yml: file: an advisory file ends in .yaml"]


def test_a_number_that_is_announced_may_be_named_on_purpose(tmp_path: Path) -> None:
    text = GOOD.replace("fixed: [3.3.2, 3.4.0]", "fixed: [3.3.2, 4.3.2]")
    (tmp_path / "KAFKA-14334.yaml").write_text(text)
    entry = load_advisories(tmp_path)["KAFKA-14334"].affected
    assert entry is not None
    assert apache_release("4.3.2") in entry.releases.fixed
    assert apache_release("4.3.1") in entry.releases


def test_advisories_are_immutable() -> None:
    advisory: Advisory = ADVISORIES["KAFKA-14334"]
    with pytest.raises(ValueError, match="frozen"):
        advisory.severity = "low"
