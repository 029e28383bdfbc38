"""`python -m benchmarks.every_test`: runs every test, the lots that take turns by the date one after the other.

The tests of every run are a lot by themselves, `every-run`, and the first. A lot that passed on the commit as it is,
with nothing changed, is not run again, so a run that was stopped goes on where it was; --again begins anew. Ends with 1
when a lot fails.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.measure import gate
from support.fault_results import commit
from support.sample import LOTS

ROOT = Path(__file__).resolve().parents[1]
PASSED = ROOT / "build/lots.json"  # seconds by lot, of one commit
PYTEST = (sys.executable, "-m", "pytest", "-q")
WORKERS = ("-n", "2")


def lots() -> list[str]:
    """The names of all lots, that of every run first. Raises ValueError when the tests cannot be collected."""
    listed = subprocess.run([*PYTEST, "--collect-only"], cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.search(rf"^{LOTS}(.+)$", listed.stdout, re.MULTILINE)
    if listed.returncode or found is None:
        raise ValueError(f"no lots were collected: {(listed.stdout + listed.stderr)[-2000:]}")
    return found[1].split()


def passed(now: str | None) -> dict[str, float]:
    """Seconds of the lots that passed on this commit; none where files differ from it."""
    known = json.loads(PASSED.read_text(encoding="utf-8")) if PASSED.is_file() else {}
    return dict(known.get("lots", {})) if now and known.get("commit") == now and not now.endswith("+") else {}


def main(arguments: list[str]) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.every_test", description=__doc__.splitlines()[0])
    parser.add_argument("lots", nargs="*", metavar="LOT", help="none: all of them")
    parser.add_argument("--again", action="store_true", help="run what passed on this commit, too")
    options = parser.parse_args(arguments)
    now, wanted = commit(ROOT), options.lots or lots()
    done = {} if options.again else passed(now)
    failed = []
    for number, name in enumerate(wanted, 1):
        if name in done:
            print(f"== {number} of {len(wanted)}: {name} passed on this commit in {done[name]:.0f} s", flush=True)
            continue
        print(f"== {number} of {len(wanted)}: {name}", flush=True)
        began = time.monotonic()
        if subprocess.run([*PYTEST, *WORKERS, "--lot", name], cwd=ROOT, check=False).returncode:
            failed.append(name)
            continue
        done[name] = round(time.monotonic() - began, 1)
        PASSED.parent.mkdir(exist_ok=True)
        PASSED.write_text(json.dumps({"commit": now, "lots": done}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"seconds: {', '.join(f'{name} {done[name]:.0f}' for name in wanted if name in done)}")
    for name in failed:
        print(f"failed: {name}", file=sys.stderr)
    return int(not gate("lots that failed", len(failed), 0, f" of {len(wanted)}"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
