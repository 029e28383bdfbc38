"""Days of a home as the judge and the letters leave them, in small."""

import json
import shutil
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.store.compaction import compact
from kafka_fleet.store.generations import claim, publish
from kafka_fleet.store.landing import land
from kafka_fleet.store.retention import RUNNING_SECONDS

CLUSTERS = ("orders-eu", "payments-eu")


DAYS = [f"2026-11-{number:02d}" for number in range(1, 7)]


TODAY, KEEP = date(2026, 11, 7), 3  # has one sweep; days before 2026-11-04 are old


COMPACTED = DAYS[1]


LATER = time.time() + RUNNING_SECONDS + 86_400  # claims of this test are old then


def judge(home: Path, ds: str, missing: Sequence[str] = ()) -> str:
    """What the judge and the letters leave, in small."""
    generation = claim(home, ds)
    for stage, name in (
        ("findings", "clusters/{}.json"),
        ("reports", "{}.html"),
        ("facts/intervals", "part-{}.parquet"),
        ("signatures", "signatures.json"),
    ):
        folder = home / stage / f"ds={ds}"
        for cluster in CLUSTERS:
            path = folder / generation / name.format(cluster)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps([{"signature": generation, "missing": list(missing)}]))
        publish(folder, generation)
    return generation


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


DAYS, NEXT = ("2026-11-01", "2026-11-02"), date(2026, 11, 3)


CLUSTERS = ("orders-eu", "payments-eu")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for ds in DAYS:
        for number in range(3):
            at = datetime.fromisoformat(ds).replace(tzinfo=UTC) + timedelta(hours=7 * number)
            for cluster in CLUSTERS:
                land(tmp_path, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})
    return tmp_path


def orphan(home: Path, ds: str, cluster: str = "payments-eu") -> Path:
    """Data of a sweep that was never committed."""
    path = home / f"raw/sweeps/ds={ds}/{cluster}.{ds.replace('-', '')}T235900.000000Z.parquet"
    path.write_bytes(b"PAR1")
    return path
