"""One cluster's judgement of a day in brief: what letters compare with, and what trends are drawn from.

findings/ds=D/<generation>/verdicts/<cluster>.json   state per signature, and every finding but those not affected,
                                                     without its evidence
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.store.generations import current, day

FIELDS = ("advisory", "signature", "cause", "verdict", "severity", "exposure", "signature_state", "subjects", "release")


class Brief(NamedTuple):
    """reached: whether anything of the cluster answered. states: by signature. rows: FIELDS of each finding."""

    reached: bool
    states: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]


def brief(findings: Sequence[Mapping[str, Any]], states: Mapping[str, str], reached: bool) -> dict[str, Any]:
    """The document, from one cluster's findings."""
    rows = [{name: one[name] for name in FIELDS} for one in findings if one["verdict"] != "not_affected"]
    return {"schema_version": 1, "reached": reached, "states": dict(sorted(states.items())), "rows": rows}


def brief_path(home: Path, ds: str, generation: str, cluster: str) -> Path:
    """Where the judge keeps it."""
    return home / f"findings/ds={day(ds)}/{generation}/verdicts/{cluster}.json"


def read_brief(home: Path, ds: str, cluster: str, generation: str | None = None) -> Brief | None:
    """None where the day was not judged, or not with this cluster. Raises ValueError for a damaged document.

    generation: the published one unless it is given.
    """
    generation = generation or current(home / f"findings/ds={day(ds)}")
    if generation is None:
        return None
    try:
        content = json.loads(brief_path(home, ds, generation, cluster).read_bytes())
    except FileNotFoundError:
        return None
    return Brief(content["reached"], content["states"], content["rows"])
