"""Days of a home as the judge and the letters leave them, in small."""

import json
import time
from collections.abc import Sequence
from pathlib import Path

from kafka_fleet.store.generations import claim_generation, publish
from kafka_fleet.store.raw.retention import RUNNING_SECONDS

CLUSTERS = ("orders-eu", "payments-eu")
DAYS = [f"2026-11-{number:02d}" for number in range(1, 7)]
LATER = time.time() + RUNNING_SECONDS + 86_400  # claims of this test are old then


def judge(home: Path, ds: str, missing: Sequence[str] = ()) -> str:
    """What the judge and the letters leave, in small."""
    generation = claim_generation(home, ds)
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


def orphan(home: Path, ds: str, cluster: str = "payments-eu") -> Path:
    """Data of a sweep that was never committed."""
    path = home / f"raw/sweeps/ds={ds}/{cluster}.{ds.replace('-', '')}T235900.000000Z.parquet"
    path.write_bytes(b"PAR1")
    return path
