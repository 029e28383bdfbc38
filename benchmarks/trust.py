"""How far the judgement can be trusted: judges generated cluster-days on seeds that no rule has seen, records figures.

Chunks stay in the work folder, so that a run that was ended goes on where it was; remove the folder for new seeds. What
was counted is written to benchmarks/trust_results.json, a signature at a time, and `python docs/generate.py` makes the
tables of docs/error_rates.md from it. Seeds by which figures were published are never judged by other queries.
"""

import argparse
import json
import math
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measure import figure, gate
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from support.fault_results import commit
from support.generators.fleetgen.benchmark import CHUNK, Run, run
from support.generators.fleetgen.catalogue import every_fault
from support.generators.fleetgen.faults.common import FACTORS
from support.generators.fleetgen.judged_by import signature_hash
from support.generators.fleetgen.score import Score, interval

ROOT = Path(__file__).resolve().parents[1]
RESULTS, PAGE = "benchmarks/trust_results.json", "docs/error_rates.md"
MOST_FALSE, MOST_MISSED = 1.0, 5.0  # per 100, by the end of the interval that is the worse one
Figures = dict[str, Any]


def confirming(signature: str) -> set[str]:
    """Causes by which a known issue is confirmed."""
    found = [one.signature for one in load_advisories().values() if one.signature]
    return {cause for one in found if one.id == signature for cause in one.causes}


def size(signature: str, about: str, k: float) -> str:
    """What is planted at k times a threshold, in the threshold's own unit; "" where the fault has no magnitude."""
    thresholds = load_signatures(sql_dir())[signature].thresholds
    if times := re.search(r"\bk x (\w+)", about):
        value, unit = k * float(thresholds[times[1]].value), thresholds[times[1]].unit
    elif over := re.search(r"\b(\w+) / k", about):
        value, unit = float(thresholds[over[1]].value) / k, thresholds[over[1]].unit
    elif "= k," in about:
        value, unit = math.ceil(k), ""
    else:
        return ""
    if unit == "s" and value >= 600:
        value, unit = (value / 3600, "h") if value >= 7200 else (value / 60, "min")
    return f"{value:.3g} {unit}".strip()


def counted(one: Score, made: Run, head: str | None) -> Figures:
    """One signature's figures as they are stored: counts, from which the page makes shares and intervals."""
    about = {fault.cause: fault.about for fault in every_fault() if fault.signature == one.signature}
    return {
        "on": datetime.now(UTC).date().isoformat(),
        "commit": head,
        "queries": signature_hash(sql_dir(), one.signature),
        "first_seed": made.first,
        "clean": one.clean,
        "evaluated": one.evaluated,
        "false": len({found[0] for found in one.false}),
        "false_causes": sorted({f"{cause} {strength}" for _cluster, cause, strength in one.false}),
        "surely_false": one.surely_false(confirming(one.signature)),
        "confirming": sorted(confirming(one.signature)),
        "causes": {
            cause: {
                "about": about[cause],
                "sizes": {f"{k:g}": size(one.signature, about[cause], k) for k in FACTORS if k in by_k},
                "found": {f"{k:g}": by_k[k] for k in FACTORS if k in by_k},
            }
            for cause, by_k in sorted(one.by_cause.items())
        },
    }


def recorded() -> dict[str, Figures]:
    """Figures by signature, of the last run of each."""
    path = ROOT / RESULTS
    found: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def refuse_seen(made: Run, scores: list[Score]) -> None:
    """Raises ValueError where figures of these seeds were published by other queries: a rule may be made of them."""
    judged = {one.signature for one in scores}
    for name, old in recorded().items():
        clean = max((score.clean for score in scores), default=0)
        seen = made.first < old["first_seed"] + old["clean"] and old["first_seed"] < made.first + clean
        if name in judged and seen and old["queries"] != signature_hash(sql_dir(), name):
            raise ValueError(f"{name}: seeds from {made.first} were published by other queries; take new ones")


def passes(one: Score) -> bool:
    """Print the gates of one signature."""
    false = 100 * interval(len({found[0] for found in one.false}), one.evaluated)[1]
    held = [gate(f"{one.signature}: clean days with a false finding, per 100, upper end", false, MOST_FALSE)]
    for k in sorted(one.by_k):
        found, planted = one.by_k[k]
        figure(f"{one.signature}: found at {k:g} x the threshold", f"{found} of {planted}")
    if 2.0 in one.by_k:
        missed = 100 - 100 * interval(*one.by_k[2.0])[0]
        held.append(gate(f"{one.signature}: missed at twice the threshold, per 100, upper end", missed, MOST_MISSED))
    return all(held)


def main() -> int:
    """Entry point; ends with 1 where a gate is missed, with 2 where chunks are left to run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--clean", type=int, default=1000, help="clean cluster-days")
    parser.add_argument("--faults", type=int, default=40, help="clusters per fault and size")
    parser.add_argument("--chunk", type=int, default=CHUNK, help="cluster-days analysed in one go")
    parser.add_argument("--work", type=Path, default=ROOT / "build/trust")
    parser.add_argument("--steps", type=int, default=10**6, help="stop after so many new chunks (run again to go on)")
    parser.add_argument("--signature", action="append", default=[], help="only this signature (may be repeated)")
    given = parser.parse_args()
    made = run(given.work, given.clean, given.faults, given.chunk, None, given.signature, "duckdb", given.steps)
    if not made.whole:
        return 2
    scores = made.scores()
    refuse_seen(made, scores)
    head = commit(ROOT, RESULTS, PAGE)
    found = recorded() | {one.signature: counted(one, made, head) for one in scores}
    (ROOT / RESULTS).write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    figure("first seed", made.first)
    held = [passes(one) for one in scores]
    return int(not all(held))


if __name__ == "__main__":
    sys.exit(main())
