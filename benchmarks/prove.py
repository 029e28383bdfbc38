"""`scripts/prove`: runs the named proofs of proofs.yaml, or all, and records their figures, the day and the commit.

A figure is a line that `benchmarks.measure` prints for a gate or a figure. Ends with 1 when any proof fails; one that
cannot run here says what it lacks and ends with SKIPPED, which is no failure and leaves its last result. Results are in
benchmarks/proof_results.json, and `python docs/generate.py` writes docs/proofs.md from them.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import FIGURES, machine
from benchmarks.stale_proofs import warnings
from docs_generator.proof_pages import PAGE, RESULTS, Proof, code_hash, proofs, recorded
from support.fault_results import commit

ROOT = Path(__file__).resolve().parents[1]
SKIPPED = 77  # the exit code of a proof that cannot run here; its last result stands
_FIGURE = re.compile(rf"^  (?:{'|'.join(FIGURES)}) +(.+)$")


def run(proof: Proof) -> tuple[int, list[str]]:
    """Run one proof in the checkout, its output shown as it comes; its exit code and its figures."""
    figures: list[str] = []
    with subprocess.Popen(proof.command, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            if found := _FIGURE.match(line.rstrip()):
                figures.append(found[1])
    return process.returncode, figures


def main(arguments: list[str]) -> int:
    """Entry point."""
    known = proofs()
    parser = argparse.ArgumentParser(prog="scripts/prove", description="Run long proofs and record their figures.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}; none: all of them")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--part", nargs=argparse.REMAINDER, default=[], help="the rest goes to the one named proof, "
                        "which then runs in part and whose result is not recorded")  # fmt: skip
    options = parser.parse_args(arguments)
    if options.part and len(options.names) != 1:
        parser.error("--part goes to one proof: name it before")
    if unknown := sorted(set(options.names) - set(known)):
        parser.error(f"no such proof: {', '.join(unknown)}; known: {', '.join(known)}")
    if options.list:
        for name, proof in known.items():
            print(f"{name} ({proof.minutes} min, needs {proof.needs}): {proof.shows}")
        for line in warnings(ROOT, known, recorded()):
            print(line)
        return 0
    failed = []
    for name in options.names or known:
        print(f"== {name}: {known[name].shows}\n{machine()}", flush=True)
        began = time.monotonic()
        proof = known[name]._replace(command=[*known[name].command, *options.part])
        code, figures = run(proof)
        if code == SKIPPED:
            print(f"== {name}: skipped; what it lacks is said above", flush=True)
            continue
        failed += [name] if code else []
        if options.part:
            continue
        result = {
            "result": "failed" if code else "passed",
            "figures": figures,
            "seconds": round(time.monotonic() - began),
            "on": datetime.now(UTC).date().isoformat(),
            "commit": commit(ROOT, RESULTS, PAGE),
            "code": code_hash(known[name].paths),
        }
        (ROOT / RESULTS).write_text(
            json.dumps(recorded() | {name: result}, indent=1, sort_keys=True) + "\n", encoding="utf-8"
        )
        print(f"== {name}: {result['result']} after {result['seconds']} s", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
