"""Every fault of every catalogue comes at once, with file, line and key, and with the name that was meant."""

import shutil
from pathlib import Path

import pytest

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.cli import fleet as fleet_commands
from kafka_fleet.cli.main import main
from kafka_fleet.knowledge.advisories import issues_folder, load_advisories
from kafka_fleet.knowledge.catalogue_check import Checked, check_catalogues
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.signatures import load_signatures

ISSUE = "issues/KAFKA-14334.yaml"
SIGNATURE = "sql/signatures/retriable_errors/signature.yaml"
OLD_JAVA = "value: old_java\n    unit: connections\n    source: client_software.connections"
CONDITION = "sql/conditions/min_isr_unsafe/condition.yaml"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """All catalogues, to be spoiled."""
    shutil.copytree(sql_dir(), tmp_path / "sql", ignore=shutil.ignore_patterns("cases"))
    shutil.copytree(issues_folder(), tmp_path / "issues")
    return tmp_path


def checked(copied: Path) -> Checked:
    """What is said of the copy, which is read in full for each test."""
    return check_catalogues(copied / "issues", copied / "sql")


def change(file: Path, before: str, after: str) -> int:
    """Replace a text that a file has once; gives its line."""
    text = file.read_text()
    assert text.count(before) == 1
    file.write_text(text.replace(before, after))
    return text[: text.index(before)].count("\n") + 1


def test_the_project_s_own_are_without_fault() -> None:
    found = check_catalogues()
    assert found.faults == []
    assert found.counts["known issues"] == len(load_advisories())
    assert (found.counts["signatures"], found.counts["conditions"]) == (len(load_signatures()), len(load_conditions()))


@pytest.mark.parametrize(
    ("file", "before", "after", "key", "meant"),
    [
        (ISSUE, "severity: high", "sevrity: high", "sevrity: unknown key", "did you mean severity?"),
        (ISSUE, "severity: high", "severity: hihg", "severity: no such word: hihg", "did you mean high?"),
        (ISSUE, "is: set}", "is: st}", "is: no such word: st", "allowed: set, unset"),
        (ISSUE, "id: fetch_latency", "id: fetch_latncy", "signature.id: no such", "did you mean fetch_latency?"),
        (ISSUE, "[follower]", "[folower]", "signature.causes, entry 1: no such cause", "did you mean follower?"),
        (ISSUE, "{broker_config: replica.selector.class, is: set}", "{measured: min_isr}", "preconditions, entry 1, ",
         "no such condition: min_isr; did you mean min_isr_unsafe?"),
        (ISSUE, "title: A consumer's", "title: A consumer: a", "mapping values are not allowed", "in quotes"),
        (SIGNATURE, OLD_JAVA, OLD_JAVA.replace("soft", "sofd"), "evidence, entry 4, source: client_sofdw", ""),
        (SIGNATURE, "{title: \"Produce errors that a retry mends, {{ object_name }}\"", "{title: \"Produce {{ x\"",
         "charts.errors.title: template", "Produce"),
        (SIGNATURE, "amount < min_errors\n", "amount < min_erors\n", "needs.clients: needs: met: no such value", ""),
        (SIGNATURE, "causes: [timeout]", "causes: [timout]", "advice, entry 6, causes: no such cause", "mean timeout?"),
        (CONDITION, "cluster_place: \"{{", "cluster_place: \"{{ {{", "cluster_place: template", ""),
        (SIGNATURE, "symptom: >-", "symptoms: >-", "symptoms: unknown key", "did you mean symptom?"),
        (SIGNATURE, "    value: errors\n", "    valeu: errors\n", "evidence, entry 1, valeu", "mean value?"),
        (CONDITION, "question: Does", "qestion: Does", "qestion: unknown key", "did you mean question?"),
        (CONDITION, "to be down?", "to be down.", "question: must be a question that ends in ?", ""),
        (CONDITION, "id: min_isr_unsafe", "id: min_isr_safe", "id: min_isr_safe differs from its folder", ""),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_file_line_and_key(
    copied: Path, file: str, before: str, after: str, key: str, meant: str
) -> None:
    line = change(copied / file, before, after)
    (fault,) = checked(copied).faults
    where, _, said = fault.partition(", line ")
    assert where.endswith(Path(file).name)
    assert key in said
    assert meant in said
    told, changed = int(said.partition(":")[0]), line + before.rstrip("\n").count("\n")
    assert told in (changed, changed - 1, changed - 2, changed - 3)  # the key of a need, or of a folded text


def test_faults_of_all_files_come_at_once(copied: Path) -> None:
    for file, before in ((ISSUE, "severity: high"), (SIGNATURE, "symptom: >-"), (CONDITION, "question: Does")):
        change(copied / file, before, f"x{before}")
    (copied / "sql/signatures/isr_stagnation/row.sql").write_text("SELECT 1")
    (copied / "sql/conditions/new_one").mkdir()
    (copied / "sql/marts/topic_days.yaml").write_text("about: too little")
    faults = checked(copied).faults
    for name in ("KAFKA-14334.yaml", "retriable_errors/signature.yaml", "min_isr_unsafe/condition.yaml"):
        assert any(f"{name}, line " in one for one in faults)
    assert any("row.sql: nothing reads it; did you mean rows?" in one for one in faults)
    assert any("conditions/new_one/condition.yaml: cannot be read: No such file" in one for one in faults)
    assert any("marts/topic_days.yaml, line 1: grain: is required" in one for one in faults)


def test_a_condition_that_no_known_issue_asks_for_is_named(copied: Path) -> None:
    (copied / "issues/CFG-MIN-ISR.yaml").unlink()
    (fault,) = checked(copied).faults
    assert "min_isr_unsafe/condition.yaml, line 1: id: no known issue asks for it" in fault
    assert fault.endswith("{measured: min_isr_unsafe}")


def test_the_command_tells_the_faults_and_fails(copied: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    assert main(["check", "--catalogues"]) == 0
    assert capsys.readouterr().out.startswith(f"catalogues: {len(load_advisories())} known issues, ")
    change(copied / ISSUE, "severity: high", "severity: hihg")
    monkeypatch.setattr(fleet_commands, "check_catalogues", lambda: checked(copied))
    assert main(["check", "--catalogues"]) == 2
    out, err = capsys.readouterr()
    assert err.startswith("KAFKA-14334.yaml, line 4: severity: no such word: hihg")
    assert out.rstrip().endswith("1 error")
    assert main(["check"]) == 2
    assert "--fleet F, --catalogues, or both" in capsys.readouterr().err
