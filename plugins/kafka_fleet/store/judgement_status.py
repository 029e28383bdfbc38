"""Whether a day is judged: takes a home, a day and its clusters, gives why not, in words."""

from collections.abc import Collection
from pathlib import Path

from kafka_fleet.store.files import list_names, read_file
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.versions import document

NOT_ASKED = "not asked for in this run"  # of a signature, where the run was for others


def unjudged(home: Path, ds: str, clusters: Collection[str]) -> str | None:
    """Why a day is not judged with all these clusters and by all signatures; None where it is.

    Raises ValueError when the pointer is damaged.
    """
    generation = current_generation(home / f"findings/ds={ds}")
    if generation is None:
        return "it is not judged"
    judged = {Path(name).stem for name in list_names(home / f"findings/ds={ds}/{generation}/clusters")}
    absent = sorted(set(clusters) - judged)
    if absent:
        return f"it is judged without {', '.join(absent[:3])}"
    path = f"signatures/ds={ds}/{generation}/signatures.json"
    try:
        left_out = {row["signature"] for row in document(read_file(home / path), path) if NOT_ASKED in row["missing"]}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return f"{path} cannot be read, so by which signatures it is judged is not known"
    return f"it is judged without {', '.join(sorted(left_out)[:3])}" if left_out else None
