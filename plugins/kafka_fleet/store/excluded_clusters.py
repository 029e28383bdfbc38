"""Clusters that a day is judged without: their measurements make a query fail. Takes a home, gives one sentence each.

findings/ds=D/<generation>/set_aside.json   {"schema_version": 1, "facts": {cluster: sentence}, "judge": {...}}

Each job notes the clusters that it found, so that a job that is run again starts from what those before it found, and
not from what it found itself. A day without any has no such document.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from kafka_fleet.schema.raw_tables import SCHEMA_VERSION
from kafka_fleet.store.files import read_file, replace_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import below_home
from kafka_fleet.store.versions import document

Job = Literal["facts", "judge"]


def _noted(path: Path) -> dict[str, Any] | None:
    try:
        content = read_file(path)
    except FileNotFoundError:
        return None
    found: dict[str, Any] = document(content, below_home(path))
    return found


def set_aside(home: Path, ds: str, generation: str) -> dict[str, str]:
    """Cluster -> why the day is judged without it, one whole sentence; in the order of their names, empty without any.

    Raises ValueError for a damaged document.
    """
    found = _noted(Home(home).generation(ds, generation).set_aside) or {}
    return dict(sorted({**found.get("facts", {}), **found.get("judge", {})}.items()))


def set_aside_by_facts(home: Path, ds: str, generation: str) -> dict[str, str]:
    """Those that the facts job found: the facts have no rows of them that count. Raises as set_aside."""
    found: dict[str, str] = (_noted(Home(home).generation(ds, generation).set_aside) or {}).get("facts", {})
    return found


def note_set_aside(
    home: Path,
    ds: str,
    generation: str,
    job: Job,
    sentences: Mapping[str, str],
    put: Callable[[Path, bytes], None] = replace_file,
) -> None:
    """Keep what a job found, in place of what it found when it ran before; what another job found stays.

    put: writes the document, where there is one to write.
    """
    path = Home(home).generation(ds, generation).set_aside
    before = _noted(path)
    if before is None and not sentences:
        return
    made = {"schema_version": SCHEMA_VERSION, "facts": {}, "judge": {}, **(before or {}), job: dict(sentences)}
    put(path, (json.dumps(made, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode())
