"""Ids of clusters that are new: takes their names, gives what the fleet file allows and nobody has."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Sequence

from kafka_fleet.discover.found import Found

_LONGEST = 63


def slug(name: str, origin: str) -> str:
    """An id of a name, or of the origin where nothing of the name is left, or it is reserved."""
    found = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST].strip("-")
    if found and found != "index":
        return found
    return f"kafka-{hashlib.sha256(origin.encode('utf-8', 'replace')).hexdigest()[:8]}"


def new_ids(clusters: Sequence[Found], prefix: str, taken: Collection[str]) -> list[str]:
    """An id per cluster: of its name where nobody else has it, else of its longer one, else numbered."""
    times = Counter(slug(prefix + one.name, one.origin) for one in clusters)
    used, found = set(taken), list[str]()
    for one in clusters:
        short, longer = slug(prefix + one.name, one.origin), slug(prefix + one.longer, one.origin)
        first = [short] if times[short] == 1 else []
        numbered = (f"{longer[: _LONGEST - 6].rstrip('-')}-{number}" for number in range(2, len(used) + 3))
        chosen = next(name for name in (*first, longer, *numbered) if name not in used)
        used.add(chosen)
        found.append(chosen)
    return found
