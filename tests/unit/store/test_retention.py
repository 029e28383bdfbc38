"""Retention: only what manifests and pointers say goes, never what a later day needs, whole at every moment."""

import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.settings import LEAST_RAW_DAYS
from kafka_fleet.store.generations import claim_generation, current_generation, publish
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests
from kafka_fleet.store.raw.retention import carry_out, plan
from support.builders.retained_days import CLUSTERS, DAYS, LATER, judge

TODAY, KEEP = date(2026, 11, 7), 3  # has one sweep; days before 2026-11-04 are old
COMPACTED = DAYS[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("retention") / "home"
    for ds in DAYS:
        for number in range(3):
            at = datetime.fromisoformat(ds).replace(tzinfo=UTC) + timedelta(hours=7 * number)
            for cluster in CLUSTERS:
                land(home, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})
        judge(home, ds)
    land(home, CLUSTERS[0], datetime(2026, 11, 7, 0, 10, tzinfo=UTC), {"sweeps": [{"admin_outcome": "ok"}]})
    compact(home, COMPACTED, TODAY)
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home"))


def files(home: Path, below: str = "") -> dict[str, bytes]:
    found = (path for path in (home / below).rglob("*") if path.is_file())
    return {str(path.relative_to(home)): path.read_bytes() for path in found}


def sweeps(home: Path, ds: str) -> list[str]:
    whole, damaged = manifests(home, ds)
    assert damaged == []
    return [f"{one.cluster}.{one.sweep}" for one in whole]


def retain(home: Path) -> None:
    carry_out(home, plan(home, KEEP, LATER))


def test_old_judged_days_go_and_the_first_kept_day_keeps_what_it_begins_with(home):
    before, needed = files(home), sweeps(home, DAYS[2])[2::3]
    retain(home)
    after = files(home)
    assert [sweeps(home, ds) for ds in DAYS[:2]] == [[], []]
    assert sweeps(home, DAYS[2]) == needed
    assert len(needed) == len(CLUSTERS)
    assert [len(sweeps(home, ds)) for ds in DAYS[3:]] == [6, 6, 6]
    kept = {f"raw/sweeps/ds={DAYS[2]}/{one}.parquet" for one in needed}
    kept |= {f"raw/manifests/ds={DAYS[2]}/{one}.json" for one in needed}
    old = {name for name in before if name.startswith(("raw/", "facts/")) and any(ds in name for ds in DAYS[:3])}
    assert before.items() - after.items() == {(name, before[name]) for name in old - kept}
    assert not after.keys() - before.keys()
    retain(home)  # the day that lost its raw has nothing more to lose
    assert files(home) == after
    carry_out(home, plan(home, KEEP - 1, LATER))
    assert sweeps(home, DAYS[2]) == []
    assert len(sweeps(home, DAYS[3])) == len(CLUSTERS)


def test_nothing_is_deleted_without_being_told_to(home, capsys):
    before = files(home)
    assert main(["retain", "--home", str(home), "--keep-raw-days", "2", "--clock-is-right"]) == 0
    told = capsys.readouterr().out
    assert files(home) == before
    assert told.endswith("nothing is deleted without --delete\n")
    assert f"{DAYS[0]}: " in told


def test_too_few_days_are_refused(home, capsys):
    assert main(["retain", "--home", str(home), "--keep-raw-days", str(LEAST_RAW_DAYS - 1), "--delete"]) == 2
    assert "at least 2 days of raw are kept" in capsys.readouterr().err
    assert len(sweeps(home, DAYS[0])) == 6


def forget(home: Path) -> None:
    shutil.rmtree(home / f"findings/ds={DAYS[0]}")


def leave_one_out(home: Path) -> None:
    (home / f"findings/ds={DAYS[0]}/g0001/clusters/payments-eu.json").unlink()


def ask_for_one(home: Path) -> None:
    judge(home, DAYS[0], ["not asked for in this run"])


def hide(home: Path) -> None:
    (home / f"signatures/ds={DAYS[0]}/g0001/signatures.json").write_text('[{"signature": 7}]')


def spoil(home: Path) -> None:
    (home / "raw/retired").mkdir()
    (home / f"raw/retired/ds={DAYS[0]}.json").write_text('{"files": "')


def newer(home: Path) -> None:
    path = min((home / f"raw/manifests/ds={DAYS[0]}").glob("*.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema_version": 2}))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (forget, "it is not judged"),
        (leave_one_out, "it is judged without payments-eu"),
        (ask_for_one, "it is judged without g0002"),
        (hide, f"signatures/ds={DAYS[0]}/g0001/signatures.json cannot be read"),
        pytest.param(spoil, f"raw/retired/ds={DAYS[0]}.json cannot be read", marks=pytest.mark.fault(49)),
        pytest.param(newer, "it was written by a newer version of this program", marks=pytest.mark.fault(50)),
    ],
)
def test_a_day_that_is_not_judged_or_not_understood_stays_and_is_named(home, change, reason):
    change(home)
    before = files(home, f"raw/sweeps/ds={DAYS[0]}")
    (sentence,) = plan(home, KEEP, LATER).kept
    assert sentence.startswith(f"{DAYS[0]} stays: {reason}")
    retain(home)
    assert files(home, f"raw/sweeps/ds={DAYS[0]}") == before
    assert sweeps(home, DAYS[1]) == []


@pytest.mark.fault(44)
def test_a_day_that_is_being_judged_stays_and_so_does_what_it_begins_with(home):
    generation = claim_generation(home, DAYS[1])
    left = home / f"findings/ds={DAYS[1]}/{generation}/findings.json"
    left.parent.mkdir()
    left.write_text("[]")
    found = plan(home, KEEP, time.time())
    assert f"{DAYS[1]} stays: it is being judged" in found.kept
    carry_out(home, found)
    assert len(sweeps(home, DAYS[1])) == 6
    assert left.exists()
    assert sweeps(home, DAYS[0])[-1].startswith("payments-eu.20261101T14")
    assert len(sweeps(home, DAYS[0])) == 2
    retain(home)  # a day later nobody can still be at it: the run has died
    assert sweeps(home, DAYS[1]) == []
    assert not left.exists()
    assert claim_generation(home, DAYS[1]) == "g0003", "the number of a run that died does not come again"


def test_files_that_no_manifest_names_stay_and_are_named(home):
    strays = [home / f"raw/sweeps/ds={DAYS[0]}/{name}" for name in ("notes.txt", "orders-eu.20261101T030000.parquet")]
    for stray in strays:
        stray.write_text("mine")
    assert plan(home, KEEP, LATER).unnamed == [str(stray.relative_to(home)) for stray in strays]
    retain(home)
    assert set(files(home, f"raw/sweeps/ds={DAYS[0]}")) == {str(stray.relative_to(home)) for stray in strays}


@pytest.mark.fault(49)
def test_what_a_damaged_manifest_stood_for_stays(home):
    path = min((home / f"raw/manifests/ds={DAYS[0]}").glob("*.json"))
    path.write_text("{")
    retain(home)
    assert set(files(home, "raw")) & {f"raw/manifests/ds={DAYS[0]}/{path.name}"}
    assert set(files(home, f"raw/sweeps/ds={DAYS[0]}")) == {f"raw/sweeps/ds={DAYS[0]}/{path.stem}.parquet"}


def test_generations_that_no_pointer_names_go(home):
    ds = DAYS[5]
    assert judge(home, ds) == "g0002"
    only_analysed = claim_generation(home, ds)  # the letters still show g0002, whose findings a mail needs
    (home / f"findings/ds={ds}/{only_analysed}").mkdir()
    publish(home / f"findings/ds={ds}", only_analysed)
    retain(home)
    assert {path.name for path in (home / f"findings/ds={ds}").glob("g*")} == {"g0002", "g0003"}
    assert {path.name for path in (home / f"reports/ds={ds}").glob("g*")} == {"g0002"}
    assert {path.name for path in (home / f"facts/intervals/ds={ds}").glob("g*")} == {"g0002"}
    assert {path.name for path in (home / f"runs/ds={ds}").iterdir()} == {"g0002", "g0003"}
    assert current_generation(home / f"reports/ds={ds}") == "g0002"


@pytest.mark.fault(44)
def test_two_at_once_leave_what_one_leaves(home, tmp_path):
    whole = Path(shutil.copytree(home, tmp_path / "whole"))
    retain(whole)
    found = plan(home, KEEP, LATER)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _number: carry_out(home, found), range(2)))
    assert files(home) == files(whole)


def test_generations_of_a_day_that_began_to_be_judged_after_looking_stay(home):
    busy, quiet = DAYS[5], DAYS[4]
    for ds in (busy, quiet):
        judge(home, ds)
    found = plan(home, KEEP, time.time())
    for ds in (busy, quiet):
        assert home / f"findings/ds={ds}/g0001" in found.trees
    claim_generation(home, busy)
    before = files(home)
    assert carry_out(home, found) == [f"{busy} stays: it is being judged"]
    gone = before.keys() - files(home).keys()
    assert not any(busy in name for name in gone)
    assert f"findings/ds={quiet}/g0001/clusters/payments-eu.json" in gone


@pytest.mark.fault(44)
@pytest.mark.parametrize("rejudged", [False, True], ids=["claimed", "judged in part"])
def test_what_changes_between_looking_and_deleting_keeps_its_day(home, rejudged):
    found = plan(home, KEEP, LATER if rejudged else time.time())
    assert DAYS[0] in found.raw
    before = files(home)
    if rejudged:
        judge(home, DAYS[0], ["not asked for in this run"])
    else:
        claim_generation(home, DAYS[0])
    reason = "it is judged without g0002" if rejudged else "it is being judged"
    assert carry_out(home, found) == [f"{DAYS[0]} stays: {reason}"]
    assert {name for name in before.keys() - files(home).keys() if DAYS[0] in name} == set()
    assert [len(sweeps(home, ds)) for ds in DAYS[:3]] == [6, 0, 2]
