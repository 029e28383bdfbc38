"""Whether a day is judged: takes a home, a day and its clusters, gives why not, in words."""

from collections.abc import Collection
from pathlib import Path

from kafka_fleet.store.files import list_names, read_file
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import below_home
from kafka_fleet.store.versions import document

NOT_ASKED = "not asked for in this run"  # of a signature, where the run was for others


def unjudged(home: Path, ds: str, clusters: Collection[str]) -> str | None:
    """Why a day is not judged with all these clusters and by all signatures; None where it is.

    Raises ValueError when the pointer is damaged.
    """
    generation = current_generation(Home(home).day(ds).findings)
    if generation is None:
        return "it is not judged"
    of = Home(home).generation(ds, generation)
    judged = {Path(name).stem for name in list_names(of.clusters)}
    absent = sorted(set(clusters) - judged)
    if absent:
        return f"it is judged without {', '.join(absent[:3])}"
    what = below_home(of.signatures)
    try:
        left_out = {row["signature"] for row in document(read_file(of.signatures), what) if NOT_ASKED in row["missing"]}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return f"{what} cannot be read, so by which signatures it is judged is not known"
    return f"it is judged without {', '.join(sorted(left_out)[:3])}" if left_out else None
