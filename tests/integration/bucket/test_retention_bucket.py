"""Retention in a bucket: the same files go and stay as on a disk."""

import json
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.store.files import replace_file
from kafka_fleet.store.generations import claim_generation, publish
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests
from kafka_fleet.store.raw.retention import RUNNING_SECONDS, carry_out, plan
from support.homes.bucket_home import next_home
from support.servers.s3_server import S3Server

DAYS, NEXT = [f"2026-11-0{number}" for number in range(1, 5)], date(2026, 11, 5)
LATER = time.time() + RUNNING_SECONDS + 86_400


def fill(home: Path) -> None:
    for ds in DAYS[2:]:
        land(home, "a", datetime.fromisoformat(f"{ds}T01:00:00Z"), {"sweeps": [{"admin_outcome": "ok"}]})
    for ds in DAYS[:2]:
        for hour in (1, 2, 3):
            at = datetime.fromisoformat(ds).replace(tzinfo=UTC) + timedelta(hours=hour)
            land(home, "a", at, {"sweeps": [{"admin_outcome": "ok"}]})
        for _again in range(2):
            generation = claim_generation(home, ds)
            for stage, name in (
                ("findings", "clusters/a.json"),
                ("reports", "a.html"),
                ("facts/intervals", "p.parquet"),
                ("signatures", "signatures.json"),
            ):
                content = json.dumps([{"signature": generation, "missing": []}])
                replace_file(home / stage / f"ds={ds}" / generation / name, content.encode())
                publish(home / stage / f"ds={ds}", generation)
    compact(home, DAYS[0], NEXT)


def files(home: Path) -> set[str]:
    found = (path for path in home.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path).removeprefix(str(home)).strip("/") for path in found}


@pytest.mark.sampled("bucket-days")
def test_what_goes_and_what_stays_is_the_same_in_a_bucket(tmp_path: Path, bucket_server: S3Server):
    home = next_home()
    for one in (tmp_path, home):
        fill(one)
        carry_out(one, plan(one, 2, LATER))
    # of a claim a bucket keeps an empty object, where a disk has an empty folder
    claims = {f"runs/ds={ds}/g0002" for ds in DAYS[:2]}
    assert files(home) == files(tmp_path) | claims
    assert [len(manifests(home, ds)[0]) for ds in DAYS] == [1, 3, 1, 1]
    assert not any("g0001" in name for name in files(home))
