"""The task `tidy` and `kafka-fleet tidy`, on copies of a home whose days the command line has judged."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from kafka_fleet.cli import commands
from kafka_fleet.cli.main import main
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.trusted_clock import Trusted
from support.builders import computed_days
from support.builders.computed_days import CLUSTERS
from support.builders.fleet_entries import GOOD, changed
from support.builders.letter_rows import DS
from support.builders.published_days import exposed
from support.builders.retained_days import LATER, orphan

DAYS = [(datetime.fromisoformat(DS) - timedelta(days=back)).date().isoformat() for back in (5, 4, 3, 2, 1, 0)]
UNJUDGED, OLD = DAYS[0], DAYS[1:3]


def spark_left_out(arguments: list[str], _rows: int) -> int:
    """What the job leaves of a day, written by its code from rows that are computed already."""
    home, ds, generation = (arguments[arguments.index(name) + 1] for name in ("--home", "--ds", "--generation"))
    computed_days.facts(Path(home), generation, 3, ds)
    computed_days.judge(Path(home), generation, exposed(), ds)
    return 0


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six days of sweeps, of which the command line has judged the last five, and data that a killed sweep left."""
    home, fleet = tmp_path / "judged", tmp_path / "fleet.yaml"
    fleet.write_text(yaml.safe_dump({"version": 1, "clusters": [changed(GOOD, ("id",), name) for name in CLUSTERS]}))
    monkeypatch.setattr(commands, "submit", spark_left_out)
    for ds in DAYS:
        for number in range(3):
            at = datetime.fromisoformat(ds).replace(tzinfo=UTC) + timedelta(hours=7 * number)
            for cluster in CLUSTERS:
                land(home, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})
        if ds != UNJUDGED:
            assert main(["analyze", "--fleet", str(fleet), "--home", str(home), "--date", ds]) == 0
    assert main(["report", "--fleet", str(fleet), "--home", str(home), "--date", DS]) == 0
    orphan(home, DS)
    return home


def files(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


@pytest.mark.parametrize("keep", ["", "2"])
def test_a_day_judged_and_tidied_by_the_command_line_has_the_files_that_the_task_leaves(
    bag, judged, tmp_path, monkeypatch, capsys, caplog, keep
):
    monkeypatch.setenv("KAFKA_FLEET_KEEP_RAW_DAYS", keep)
    for module in ("compaction", "retention"):
        monkeypatch.setattr(f"kafka_fleet.store.raw.{module}.trusted_time", lambda home: Trusted(LATER, None))
    by_task, by_command = (Path(shutil.copytree(judged, tmp_path / name)) for name in ("task", "command"))
    monkeypatch.setenv("KAFKA_FLEET_HOME", str(by_task))
    with caplog.at_level("INFO"):
        bag.dags["fleet_health"].get_task("tidy").python_callable()
    capsys.readouterr()
    assert main(["tidy", "--home", str(by_command)]) == 0
    left = files(by_command)
    assert left == files(by_task)
    said = capsys.readouterr().out.splitlines()
    assert said
    assert all(line in caplog.messages for line in said)
    gone = files(judged).keys() - left.keys()
    assert str(orphan(judged, DS).relative_to(judged)) in gone
    own = {name for name in gone if name.startswith(f"raw/sweeps/ds={DS}/") and "joined" not in name}
    assert len(own) == 2 * len(CLUSTERS) + 1, "of each cluster two sweeps are joined; the last keeps its own file"
    days = {ds for ds in DAYS if not any(name.startswith(f"raw/sweeps/ds={ds}/") for name in left)}
    assert days == ({OLD[0]} if keep else set()), "of the last old day the first kept one needs the last sweeps"
    assert any(name.startswith(f"raw/sweeps/ds={UNJUDGED}/") for name in left)
    assert not any(name.startswith(f"facts/broker_days/ds={ds}/") for ds in OLD for name in left) or not keep
