"""Nothing is written in a new shape without a golden home of it: today's documents have the newest home's members.

A test here that fails says: see that readers take both shapes, and add an archive (make_golden_home.py).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.mail.dispatch import mail_letter
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.generations import current_generation
from support.builders.documents import of_finding
from support.builders.mailed_days import CLUSTER as MAILED
from support.builders.mailed_days import DAY, confirmed, later, write
from support.homes.golden_homes import CLUSTER, MORE, NEWEST, OWNER, unpack, versions
from support.servers.mail_server import Mailbox, mail_server, plain
from support.spark_runs.analysed import Analysed, analysed

pytestmark = [pytest.mark.timeout(1800), pytest.mark.fault(50)]
# their members are clusters, files, findings, owners, and checks of whatever name
BY_NAME = (".clusters", ".attachments", ".told", ".recipients", ".states", ".cells")


def members(value: Any, path: str = "") -> Iterator[str]:
    """Paths of all members: `[]` for any entry of a list, `*` for any name of what BY_NAME says."""
    if isinstance(value, dict):
        for name, one in value.items():
            below = f"{path}.*" if path.endswith(BY_NAME) else f"{path}.{name}"
            yield below
            yield from members(one, below)
    elif isinstance(value, list):
        for one in value:
            yield from members(one, f"{path}[]")


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The home of all versions, and the day of the newest: each version has a day of its own, in their order."""
    home = tmp_path_factory.mktemp("shapes")
    unpack(home, "judged")
    days = sorted(path.name.removeprefix("ds=") for path in (home / "findings").iterdir())
    assert len(days) == len(versions("judged"))
    return home, days[-1]


def published(home: Path, stage: str, ds: str, name: str) -> Any:
    folder = home / f"{stage}/ds={ds}"
    return json.loads((folder / str(current_generation(folder)) / name).read_bytes())


@pytest.mark.parametrize("document", ["clusters/{}.json", "verdicts/{}.json", "plots/{}.json"])
def test_a_clusters_documents_have_the_members_of_the_newest_home(newest: tuple[Path, str], document: str) -> None:
    day: Analysed = analysed()
    folder = day.home / f"findings/ds={day.ds}" / day.generation
    today = json.loads((folder / document.format(NEWEST)).read_bytes())  # the same three sweeps
    assert set(members(today)) == set(members(published(newest[0], "findings", newest[1], document.format(CLUSTER))))


@pytest.mark.parametrize(
    ("stage", "document"),
    [("findings", "findings.json"), ("findings", "summary.json"), ("signatures", "signatures.json")],
)
def test_a_days_documents_have_the_members_of_the_newest_home(
    newest: tuple[Path, str], stage: str, document: str
) -> None:
    day = analysed()
    today = json.loads((day.home / f"{stage}/ds={day.ds}" / day.generation / document).read_bytes())
    if isinstance(today, list):
        today = [one for one in today if one["cluster"] == NEWEST]
    else:
        today["clusters"] = {NEWEST: today["clusters"][NEWEST]}
    assert set(members(today)) == set(members(published(newest[0], stage, newest[1], document)))


def test_the_outbox_has_the_members_of_the_newest_home(newest: tuple[Path, str], tmp_path: Path) -> None:
    home, ds = newest
    write(tmp_path, [confirmed()])
    accepted = of_finding({**confirmed(), "basis": []}, MAILED, DAY, "Upgrade is planned.", OWNER, later(30))
    with mail_server(Mailbox()) as port:
        mail_letter(tmp_path, DAY, MAILED, [OWNER], plain(port), acknowledged=Acknowledgements([accepted], []))
    (today,) = (json.loads(path.read_bytes()) for path in tmp_path.glob("outbox/*/*.json"))
    stored = json.loads((home / f"outbox/ds={ds}/{CLUSTER}.json").read_bytes())
    assert set(stored["mails"][0]["recipients"]) == {OWNER, *MORE[:2]}
    assert set(members(today)) == set(members(stored))


def test_raw_tables_have_the_columns_of_the_newest_home(tmp_path: Path) -> None:
    unpack(tmp_path, "raw")
    for table, schema in raw_schemas().items():
        files = list(tmp_path.glob(f"raw/{table}/*/{NEWEST}.*"))
        for file in files:
            assert pq.read_schema(file).names == schema.names, table
    assert len({path.parent.parent.name for path in tmp_path.glob(f"raw/*/*/{NEWEST}.*.parquet")}) > 20


def test_a_new_member_would_be_seen() -> None:
    known = {"clusters": {"a": {"cells": {"x": 1}}}, "rows": [{"verdict": "confirmed"}]}
    assert set(members(known)) == {
        ".clusters",
        ".clusters.*",
        ".clusters.*.cells",
        ".clusters.*.cells.*",
        ".rows",
        ".rows[].verdict",
    }
    assert set(members({**known, "rows": [{"verdict": "exposed", "more": None}]})) > set(members(known))
