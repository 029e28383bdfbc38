"""A pack is tried on a stored day of real sweeps: both judgements are by the real jobs, and nothing is published."""

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from fleet_spark.replay import replay
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.cli import knowledge_preview
from kafka_fleet.cli.main import main
from kafka_fleet.documents.knowledge import knowledge_of
from kafka_fleet.knowledge.pack import BUILTIN, builtin_pack, used_pack, using
from kafka_fleet.store.bucket import open_home
from kafka_fleet.store.home import Home
from kafka_fleet.store.knowledge_packs import use_named
from support.builders.packs import BUG, NEWER, OWN, pack_files, write_pack
from support.homes.recorded import changed, land_all, recorded_day
from support.homes.stored_days import pointers
from support.spark_runs.analysed import spark

pytestmark = [pytest.mark.timeout(1200), pytest.mark.sampled]
ISSUES = BUILTIN / "issues"
SYMPTOM = "symptom fetch_latency (follower)"
GONE, COPIED = "KAFKA-14295", "KAFKA-99999"


def in_this_session(arguments: list[str], _rows: int) -> int:
    """In place of spark-submit: what spark/submit.py does with these words, in the session of the tests."""
    words = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    home, results = open_home(words["--home"]), open_home(words["--results"])
    with using(builtin_pack()), redirect_stdout(sys.stderr):
        use_named(home, words["--knowledge"])
        failed = replay(spark(), home, results, words["--days"].split(","), sql_dir(), None, ["fetch_latency"])
    return int(bool(failed))


def test_a_preview_says_what_changes_and_changes_nothing(tmp_path: Path, monkeypatch, capsys) -> None:
    home = tmp_path / "home"
    land_all(home, changed("follower331", "payments", lambda _sweeps: None))
    text = (BUILTIN / BUG).read_bytes().replace(b"introduced: 2.4.0", b"introduced: 3.3.2").replace(
        b"fixed: [3.3.2, 3.4.0]", b"fixed: [3.4.0]").replace(b'  lines_without_fix: ["2.4..3.2"]\n', b"")  # fmt: skip
    copied = (ISSUES / f"{GONE}.yaml").read_bytes().replace(f"id: {GONE}".encode(), f"id: {COPIED}".encode(), 1)
    new = {BUG: text, f"issues/{GONE}.yaml": None, f"issues/{COPIED}.yaml": copied}
    source = write_pack(tmp_path / "pack", pack_files(NEWER, new))
    before = pointers(home)
    monkeypatch.setattr(knowledge_preview, "submit", in_this_session)
    assert main(["knowledge", "preview", "--home", str(home), str(source), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["days"] == {recorded_day(): 1}
    assert (found["before"]["version"], found["after"]["version"]) == (OWN, NEWER)
    rows = {(one["kind"], one["what"]): (one["was"], one["now"]) for one in found["changes"]}
    assert rows["verdict", "KAFKA-14334"] == ("confirmed", "look_alike")
    assert rows["goes", GONE][1] is None
    assert rows["comes", COPIED] == (None, rows["goes", GONE][0])
    assert rows["upgrade", "brokers, now"][0] is not None
    assert rows["comes", SYMPTOM] == (None, "look_alike"), "no known issue explains it any more"
    assert {what for kind, what in rows if kind != "upgrade"} == {"KAFKA-14334", SYMPTOM, GONE, COPIED}
    kept = [
        knowledge_of(Home(home / f"replays/{name}").generation(recorded_day(), "g0001")) for name in ("r0001", "r0002")
    ]
    assert [(one.version, one.builtin) for one in kept if one] == [(OWN, True), (NEWER, False)]
    assert kept[1].checksum == found["after"]["checksum"]
    assert {k: v for k, v in pointers(home).items() if "replays" not in k} == before
    assert not (home / "knowledge").exists()
    assert used_pack().builtin
