"""How far the judgement can be trusted on real brokers: judges the corpus of real days, counts against its labels.

What was counted is written to benchmarks/corpus_results.json, a signature at a time, and `python docs/generate.py`
makes the table of docs/error_rates.md from it.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import figure
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from support.fault_results import commit
from support.generators.fleetgen.judged_by import signature_hash
from support.homes.corpus import Label, labels, open_corpus
from support.live.commands import fleet_command

ROOT = Path(__file__).resolve().parents[1]
RESULTS, PAGE = "benchmarks/corpus_results.json", "docs/error_rates.md"
Row = dict[str, Any]  # cluster, signature, state, detections


def judged(home: Path) -> list[Row]:
    """States and detections of every cluster of the corpus, by the command line. Raises RuntimeError where it fails."""
    found: list[Row] = []
    for ds in open_corpus(home):
        done = fleet_command("analyze", "--home", str(home), "--date", ds)
        if done.returncode:
            raise RuntimeError(f"analyze ended with {done.returncode}: {done.stderr[-2000:]}")
        folder = Home(home).day(ds).signatures
        found += json.loads((folder / str(current_generation(folder)) / "signatures.json").read_text(encoding="utf-8"))
    return found


def counted(signature: str, rows: list[Row], known: dict[str, Label]) -> Row:
    """One signature's counts. false: what a cluster's label does not allow, as `cluster: cause strength`.

    clusters: those that were labelled; healthy: without this fault or what may be seen of one; evaluated: of them,
    those that the signature could judge. faults: with it; found, sure: of them, those of which a cause was told, and
    told for sure. missed: the others.
    """
    own = {row["cluster"]: row for row in rows if row["signature"] == signature and row["cluster"] in known}
    healthy = [name for name, one in known.items() if signature not in {**one.faults, **one.beside}]
    faults = [name for name, one in known.items() if signature in one.faults]
    true = {
        name: [one for one in own[name]["detections"] if one["cause"] in known[name].faults[signature]]
        for name in faults
        if name in own
    }
    return {
        "clusters": len(known),
        "healthy": len(healthy),
        "evaluated": sum(own[name]["state"] != "not_evaluated" for name in healthy if name in own),
        "false": sorted(
            {
                f"{name}: {one['cause']} {one['strength']}"
                for name, row in own.items()
                for one in row["detections"]
                if not known[name].allows(signature, one["cause"])
            }
        ),
        "faults": len(faults),
        "found": sum(bool(found) for found in true.values()),
        "sure": sum(any(one["strength"] == "conclusive" for one in found) for found in true.values()),
        "missed": sorted(name for name in faults if not true.get(name)),
    }


def recorded() -> dict[str, Row]:
    """Counts by signature, of the last run."""
    path = ROOT / RESULTS
    found: dict[str, Row] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def main() -> int:
    """Entry point; ends with 1 where something was told for sure that is not so."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "").parse_args()
    with TemporaryDirectory(prefix="kafka-corpus-") as folder:
        rows = judged(Path(folder))
    about = {"on": datetime.now(UTC).date().isoformat(), "commit": commit(ROOT, RESULTS, PAGE)}
    found = {
        name: {**about, "queries": signature_hash(sql_dir(), name), **counted(name, rows, labels())}
        for name in load_signatures(sql_dir())
    }
    (ROOT / RESULTS).write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for name, one in found.items():
        figure(f"{name}: false, of {one['evaluated']} clusters without the fault", ", ".join(one["false"]) or "none")
        figure(f"{name}: found, of {one['faults']}", f"{one['found']}, for sure {one['sure']}")
    return int(any("conclusive" in told for one in found.values() for told in one["false"]))


if __name__ == "__main__":
    sys.exit(main())
