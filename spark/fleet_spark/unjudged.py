"""What is told of a cluster that a day is judged without: takes its sweeps, gives what they say of themselves.

Its facts are not there, or do not count. When it was swept, and which of its brokers answered, is in columns that the
collector fills itself, and no other is read here: a value that a query does not take may be in any of the others.
"""

import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from kafka_fleet.store.files import read_file
from kafka_fleet.store.raw.manifests import Manifest

Json = dict[str, Any]
_SWEEPS = ("sweep_at", "kafka_cluster_id", "admin_outcome", "admin_detail")
_BROKERS = ("sweep_at", "broker", "host", "rack", "jolokia_url", "metrics_url", "outcome", "kind")
_OUTCOMES = ("ok", "partial", "truncated", "failed")


class Seen(NamedTuple):
    """entry: the declaration that the last sweep landed. about, brokers: columns of cluster_days and broker_days."""

    entry: Json
    about: Json | None
    brokers: list[Json]


def seen(home: Path, sweeps: Sequence[Manifest]) -> Seen:
    """Of one cluster's sweeps of a day, in the order of time."""
    rows = _rows(home, sweeps, "sweeps", _SWEEPS)
    declared = _rows(home, sweeps[-1:], "declarations", ("sweep_at", "declaration"))
    outcomes = Counter(row["admin_outcome"] for row in rows)
    about = {
        "kafka_cluster_id": next((row["kafka_cluster_id"] for row in reversed(rows) if row["kafka_cluster_id"]), None),
        "sweep_count": len(sweeps),
        "first_sweep": sweeps[0].sweep_at if sweeps else None,
        "last_sweep": sweeps[-1].sweep_at if sweeps else None,
        "admin_ok": outcomes["ok"],
        "admin_partial": outcomes["partial"],
        "admin_failed": outcomes["failed"],
        "admin_details": sorted({row["admin_detail"] for row in rows if row["admin_detail"]}),
    }
    entry = declared_entry(declared[-1]["declaration"] if declared else None)
    return Seen(entry, about if sweeps else None, _brokers(_rows(home, sweeps, "brokers", _BROKERS)))


def declared_entry(text: str | None) -> Json:
    """The fleet file's entry as a sweep carries it; empty where it is none."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _brokers(rows: Sequence[Json]) -> list[Json]:
    found: list[Json] = []
    for number in sorted({row["broker"] for row in rows if row["broker"] is not None}):
        own = [row for row in rows if row["broker"] == number]
        listed = [row for row in own if row["host"] is not None]
        outcomes = Counter(row["outcome"] for row in own)
        found.append(
            {
                "broker": number,
                "advertised_host": listed[-1]["host"] if listed else None,
                "rack": listed[-1]["rack"] if listed else None,
                "jolokia_url": own[-1]["jolokia_url"],
                "metrics_url": own[-1]["metrics_url"],
                "kafka_release": None,
                **{f"{name}_reads": outcomes[name] for name in _OUTCOMES},
                "failure_kinds": sorted({row["kind"] for row in own if row["kind"]}),
                "failure_details": [],
                "missing_mbeans": None,
                "replica_count": None,
            }
        )
    return found


def _rows(home: Path, sweeps: Sequence[Manifest], table: str, columns: Sequence[str]) -> list[Json]:
    """These columns of a raw table in the order of time; one that an older file lacks is null."""
    times = {one.sweep_at for one in sweeps}
    paths = dict.fromkeys(one.files[table].path for one in sweeps if table in one.files)
    found: list[Json] = []
    for path in paths:
        file = pq.ParquetFile(io.BytesIO(read_file(home / path)))
        there = [name for name in columns if name in file.schema_arrow.names]
        found += [dict.fromkeys(columns) | row for row in file.read(columns=there).to_pylist()]
    return sorted((row for row in found if row["sweep_at"] in times), key=lambda row: row["sweep_at"])
