"""Days that every version of the program judged stay readable: findings, letters, page, history, outbox."""

import json
import re
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from fastapi.testclient import TestClient

from kafka_fleet.cli.main import main
from kafka_fleet.config.acknowledgements import NAME, load_acknowledgements
from kafka_fleet.mail.digest import digest_name
from kafka_fleet.mail.outbox import Outbox, OutboxError
from kafka_fleet.page.app import make_app
from kafka_fleet.store.generations import current_generation
from support.builders.documents import reopen_reason
from support.homes.golden_homes import ACCEPTED, CLUSTER, DIGESTED, LOST, OWNER, REFUSED, unpack, versions
from support.inspection.finding_shape import assert_contract

pytestmark = pytest.mark.fault(50)
SINCE_MORE_OWNERS = "2026-11-09"  # from this day's version on
NEWER = "was written by a newer version of this program (schema_version 2, this one reads 1)"
BUG = "KAFKA-14334"  # what the recorded cluster has, on every day


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("judged")
    assert len(unpack(found, "judged")) >= 2
    return found


@pytest.fixture
def home(unpacked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(unpacked, tmp_path / "home"))


def days(home: Path) -> list[str]:
    found = sorted(path.name.removeprefix("ds=") for path in (home / "findings").iterdir())
    assert len(found) == len(versions("judged"))
    return found


def fleet_file(home: Path) -> str:
    urls = {1: "http://127.0.0.1:1/jolokia", 2: "http://127.0.0.1:2/jolokia"}
    entry = {"id": CLUSTER, "environment": "production", "owners": [OWNER], "bootstrap_servers": ["127.0.0.1:9"]}
    path = home.parent / "fleet.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "clusters": [{**entry, "jolokia": {"brokers": urls}}]}))
    return str(path)


def test_findings_of_every_version_keep_the_contract(unpacked: Path, capsys):
    for ds in days(unpacked):
        assert main(["findings", "--home", str(unpacked), "--date", ds, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert_contract(found, ds)
        assert [one["verdict"] for one in found if one["advisory"] == BUG] == ["confirmed"], ds
        assert main(["findings", "--home", str(unpacked), "--date", ds]) == 0
        assert BUG in capsys.readouterr().out


def test_letters_of_every_version_are_written_anew(home: Path, capsys):
    for ds in days(home):
        assert main(["report", "--fleet", fleet_file(home), "--home", str(home), "--date", ds]) == 0, ds
        html = (home / f"reports/ds={ds}/{CLUSTER}.html").read_text()
        assert BUG in html
        assert "None" not in re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
        assert BUG in (home / f"reports/ds={ds}/{CLUSTER}.txt").read_text()


def test_the_page_shows_every_day_and_every_letter(unpacked: Path):
    client = TestClient(make_app(lambda: unpacked, []))
    for ds in days(unpacked):
        assert client.get(f"/?day={ds}").status_code == 200, ds
        answer = client.get(f"/clusters/{CLUSTER}?day={ds}")
        assert answer.status_code == 200, ds
        assert BUG in answer.text
        letter = client.get(f"/letters/{ds}/{CLUSTER}")
        assert (letter.status_code, BUG in letter.text) == (200, True), ds


def test_history_counts_every_day(unpacked: Path, capsys):
    first, *_rest, last = days(unpacked)
    asked = ["history", "--home", str(unpacked), "--from", first, "--to", last, "--format", "json"]
    assert main(asked) == 0
    rows = {row["finding"]: row for row in json.loads(capsys.readouterr().out)}
    assert [(one["ds"], one["state"]) for one in rows[BUG]["days"]] == [(ds, "fired") for ds in days(unpacked)]


def test_the_outbox_of_every_version_knows_who_has_which_letter(home: Path, capsys):
    for ds in days(home):
        (mail,) = Outbox(home, ds, CLUSTER, timedelta(minutes=10)).read()
        more = {REFUSED: "refused", LOST: "claimed"} if ds >= SINCE_MORE_OWNERS else {}
        assert {address: one.state for address, one in mail.recipients.items()} == {OWNER: "sent", **more}
        assert main(["mail", "--fleet", fleet_file(home), "--home", str(home), "--date", ds, "--dry-run"]) == 0
        said = capsys.readouterr().out
        assert "would be sent" not in said, f"{ds}: {said}"


def test_digests_and_acknowledgements_that_were_written_are_read(home: Path):
    digests = Outbox(home, SINCE_MORE_OWNERS, digest_name(DIGESTED), timedelta(minutes=10)).read()
    assert [one.state for mail in digests for one in mail.recipients.values()] == ["sent"]
    accepted = load_acknowledgements(home / NAME)
    assert (accepted.faults, [one.key for one in accepted.entries]) == ([], [ACCEPTED])
    rows = json.loads((home / f"findings/ds={SINCE_MORE_OWNERS}/g0001/verdicts/{CLUSTER}.json").read_text())["rows"]
    (row,) = (one for one in rows if one["advisory"] == ACCEPTED)
    assert reopen_reason(accepted.entries[0], row, SINCE_MORE_OWNERS) is None, "it is accepted as it stands"


@pytest.mark.parametrize("stage", ["findings", "brief", "dossier", "outbox"])
def test_what_a_newer_version_wrote_is_refused_with_one_sentence(home: Path, stage: str, capsys):
    ds = days(home)[-1]
    folder = home / f"findings/ds={ds}" / str(current_generation(home / f"findings/ds={ds}"))
    path = {
        "findings": folder / "findings.json",
        "brief": folder / f"verdicts/{CLUSTER}.json",
        "dossier": folder / f"clusters/{CLUSTER}.json",
        "outbox": home / f"outbox/ds={ds}/{CLUSTER}.json",
    }[stage]
    content = json.loads(path.read_text())
    for one in content if isinstance(content, list) else [content]:
        one |= {"schema_version": 2, "verdict": {"not": "a word"}}
    path.write_text(json.dumps(content))
    at = ["--home", str(home), "--date", ds]
    if stage == "outbox":
        with pytest.raises(OutboxError, match=re.escape(NEWER)):
            Outbox(home, ds, CLUSTER, timedelta(minutes=10)).read()
    asked = {
        "outbox": ["mail", "--fleet", fleet_file(home), *at, "--dry-run"],
        "findings": ["findings", *at],
        "brief": ["history", "--home", str(home), "--from", ds, "--to", ds],
        "dossier": ["report", "--fleet", fleet_file(home), *at],
    }[stage]
    assert main(asked) == (1 if stage == "outbox" else 2)
    (sentence,) = capsys.readouterr().err.splitlines()
    assert NEWER in sentence
    answer = TestClient(make_app(lambda: home, [])).get(f"/clusters/{CLUSTER}?day={ds}")
    shown = stage != "outbox"  # of which the page reads nothing
    assert (answer.status_code, NEWER in answer.text) == ((503, True) if shown else (200, False))
