"""`kafka-fleet findings` of chosen clusters and verdicts: the worst verdict first, then the worst severity."""

import json
from pathlib import Path

import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.store import generations
from support.builders.letter_rows import finding

DS = "2026-11-20"
FOUND = [
    finding(advisory, verdict, cluster, severity=severity, release=None)
    for cluster, advisory, verdict, severity in [
        ("a", "KAFKA-1", "unknown", "critical"),
        ("a", "KAFKA-2", "exposed", "low"),
        ("a", "KAFKA-3", "exposed", "critical"),
        ("b", "KAFKA-4", "confirmed", "medium"),
        ("b", "KAFKA-5", "not_affected", "high"),
    ]
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / f"home/findings/ds={DS}/g0001"
    folder.mkdir(parents=True)
    (folder / "findings.json").write_text(json.dumps(FOUND))
    generations.publish(folder.parent, "g0001")
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("options", "advisories"),
    [
        ([], [4, 3, 2, 1]),
        (["--cluster", "a"], [3, 2, 1]),
        (["--cluster", "a", "--cluster", "b", "--verdict", "exposed"], [3, 2]),
        (["--verdict", "exposed", "--verdict", "confirmed"], [4, 3, 2]),
        (["--verdict", "not_affected"], [5]),
    ],
)
def test_the_table_has_what_was_chosen(home: Path, capsys, options: list[str], advisories: list[int]) -> None:
    assert main(["findings", "--home", str(home), "--date", DS, *options]) == 0
    words = capsys.readouterr().out.split()
    assert [word for word in words if word.startswith("KAFKA-")] == [f"KAFKA-{number}" for number in advisories]


def test_a_row_shows_the_severity(home: Path, capsys) -> None:
    main(["findings", "--home", str(home), "--date", DS, "--cluster", "b"])
    head, row, rest = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["cluster", "release", "advisory", "verdict", "severity"]
    assert row.split() == ["b", "?", "KAFKA-4", "confirmed", "medium"]
    assert rest == "1 more are not_affected"


def test_json_has_what_was_chosen_as_it_is_stored(home: Path, capsys) -> None:
    assert main(["findings", "--home", str(home), "--date", DS, "--format", "json", "--cluster", "b"]) == 0
    assert json.loads(capsys.readouterr().out) == FOUND[3:]


def test_a_cluster_without_findings_is_a_sentence(home: Path, capsys) -> None:
    assert main(["findings", "--home", str(home), "--date", DS, "--cluster", "c"]) == 2
    assert capsys.readouterr() == ("", f"kafka-fleet: {DS}: no finding is of a cluster c\n")


def test_the_table_shows_since_when_the_cluster_has_a_finding(home: Path, capsys) -> None:
    path = home / f"findings/ds={DS}/g0001/findings.json"
    path.write_text(json.dumps([{**one, "first_day": "2026-11-03", "last_day": DS} for one in FOUND]))
    main(["findings", "--home", str(home), "--date", DS, "--cluster", "b"])
    head, row, _rest = capsys.readouterr().out.splitlines()
    assert "since" in head.split()
    assert row.split() == ["b", "?", "KAFKA-4", "confirmed", "medium", "2026-11-03"]
