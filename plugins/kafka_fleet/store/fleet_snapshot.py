"""The fleet as a run found it: takes a home, a day and a generation, keeps the fleet file's entries beside the claim.

runs/ds=D/g0001.fleet    {"clusters": [declarations], "invalid": {label: sentence}}; connection ids, and no credentials

Who edits the fleet file while a day is judged changes the next day. A run that is cleared reads what it read before.
"""

import json
from pathlib import Path
from typing import Any

from kafka_fleet.config.fleet import Cluster, Fleet, FleetError
from kafka_fleet.schema.raw_tables import SCHEMA_VERSION
from kafka_fleet.store.files import read_file, replace_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.versions import document


def keep_fleet(home: Path, ds: str, generation: str, fleet: Fleet) -> None:
    """Keep the valid clusters, and of the invalid entries no more than the sentences on them."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "clusters": [json.loads(cluster.declaration()) for cluster in fleet.clusters],
        "errors": [list(error) for error in fleet.errors],
    }
    replace_file(
        Home(home).generation(ds, generation).fleet, json.dumps(content, sort_keys=True, ensure_ascii=False).encode()
    )


def is_kept(home: Path, ds: str, generation: str) -> bool:
    """Whether the generation's run kept its fleet; those of the command line and of earlier versions did not."""
    return Home(home).generation(ds, generation).fleet.exists()


def kept_fleet(home: Path, ds: str, generation: str) -> Fleet | None:
    """What was kept; None where nothing was. Raises ValueError for a damaged document."""
    try:
        content = read_file(Home(home).generation(ds, generation).fleet)
    except FileNotFoundError:
        return None
    found: dict[str, Any] = document(content, f"the fleet of {ds}, {generation}")
    clusters = [Cluster.model_validate(one) for one in found["clusters"]]
    return Fleet(clusters, [FleetError(*error) for error in found["errors"]])
