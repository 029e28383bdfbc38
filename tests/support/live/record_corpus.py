"""Records the corpus of real days: runs scenarios, three at a time, and writes tests/data/corpus.

PYTHONPATH=plugins:spark:demo:tests python -m support.live.record_corpus           all scenarios, two hours
PYTHONPATH=plugins:spark:demo:tests python -m support.live.record_corpus storms    the named ones

A scenario that fails is named, its archive before stays, and the exit code is 1.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fleet_demo.cluster import ClusterError
from support.homes.corpus import clusters_in, keep, labels
from support.live import hours
from support.live.measured import SCENARIOS

PARALLEL = 3
RECORDED = {**SCENARIOS, "hours": hours.run}  # those of the live tests, and what is too long for them


def record(scenario: str) -> str | None:
    """Run one and keep what its brokers told; the reason where that cannot be."""
    own = {cluster for cluster, one in labels().items() if one.scenario == scenario}
    with tempfile.TemporaryDirectory(prefix="kafka-corpus-") as folder:
        home = Path(folder)
        try:
            RECORDED[scenario](home)
        except (ClusterError, AssertionError, OSError) as error:
            return repr(error)
        if missing := sorted(own - clusters_in(home)):
            return f"has no sweep of {', '.join(missing)}"
        keep(home, scenario, own)
    return None


def main(names: list[str]) -> int:
    """Entry point."""
    known = list(dict.fromkeys(one.scenario for one in labels().values()))
    if unknown := sorted(set(names) - set(known)):
        print(f"no such scenario: {', '.join(unknown)}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    with ThreadPoolExecutor(PARALLEL) as pool:
        faults = dict(zip(names or known, pool.map(record, names or known), strict=True))
    for scenario, fault in faults.items():
        if fault:
            print(f"{scenario} is not recorded: {fault}", file=sys.stderr)
    return int(any(faults.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
