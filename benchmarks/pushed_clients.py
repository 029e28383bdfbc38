"""`python -m benchmarks.pushed_clients`: metrics that real clients push, from the client to a finding (KIP-714).

Two producers, two brokers with a receiver plugin, the OTLP receiver of a Prometheus 3, `kafka-fleet import`, a judged
day. What the rows say is held against the log of the producer itself. Ends with 77, and says why, where there is no
Prometheus 3 and no Go to build one.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measure import figure, gate, machine
from benchmarks.prove import SKIPPED
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.live.commands import fleet_command
from support.live.go_prometheus import prometheus_3
from support.live.pushed_metrics import NAME, pushed

LOSES, RETRIES = "billing", "shop"


def program() -> Path | str:
    """A Prometheus 3, or what is missing of all that this takes."""
    for tool in ("javac", "jar"):
        if not shutil.which(tool):
            return f"{tool} is not installed: a JDK is needed"
    there: Path | str = prometheus_3()
    return there


def last_counts(home: Path, ds: str) -> dict[str, dict[str, int]]:
    """By client_id: the highest of each counter in the rows of a day, of the client as a whole."""
    sweeps = [one for one in manifests(home, ds)[0] if one.cluster == NAME]
    found: dict[str, dict[str, int]] = {}
    for row in read_rows(home, sweeps, "client_metrics"):
        if row["topic"] is None:
            counts = found.setdefault(row["client_id"], {})
            for name in ("record_sends", "record_errors", "record_retries"):
                counts[name] = max(counts.get(name, 0), row[name] or 0)
    return found


def symptom(home: Path, ds: str) -> dict[str, Any]:
    """The finding of retriable_errors that no advisory explains. Raises LookupError where there is none."""
    done = fleet_command("findings", "--home", str(home), "--date", ds, "--format", "json")
    done.check_returncode()
    for one in json.loads(done.stdout):
        if one["signature"] == "retriable_errors" and one["advisory"] is None:
            return dict(one)
    raise LookupError("the day has no finding of retriable_errors")


def main() -> int:
    """Entry point."""
    found = program()
    if isinstance(found, str):
        print(f"skipped: {found}", flush=True)
        return SKIPPED
    print(machine(), flush=True)
    said = subprocess.run([str(found), "--version"], capture_output=True, text=True, check=True).stdout
    figure("Prometheus", " ".join(said.splitlines()[0].split()[:4]) if said else found.name)
    with tempfile.TemporaryDirectory(prefix="fleet-pushed-") as scratch:
        home = Path(scratch) / "home"
        lost = pushed(str(found), home)
        ds = datetime.now(UTC).date().isoformat()
        counts, finding = last_counts(home, ds), symptom(home, ds)
    none = {"record_sends": 0, "record_errors": 0, "record_retries": 0}
    loses, retries = counts.get(LOSES, none), counts.get(RETRIES, none)
    figure(f"{LOSES}, without retries", f"{lost} records given up by its log, {loses} by what it pushed")
    figure(f"{RETRIES}, with Kafka's defaults", f"{retries} by what it pushed")
    figure("finding", f"{finding['verdict']}, {finding['strength']}: {', '.join(finding['subjects'])}")
    blamed = [one for one in finding["subjects"] if one.startswith("client ")]
    happened = lost > 0 and retries["record_retries"] > 0
    held = [
        gate("records that log and import count differently", abs(lost - loses["record_errors"]), 0),
        gate("producers of which nothing was imported", sum(not one["record_sends"] for one in (loses, retries)), 0),
        gate("records that the one with retries gave up", retries["record_errors"], 0),
        gate("records that the one without retries sent again", loses["record_retries"], 0),
        gate("runs in which nothing was lost, or nothing sent again", int(not happened), 0),
        gate("findings that are not conclusive", int(finding["strength"] != "conclusive"), 0),
        gate("clients that are blamed wrongly, or not", int([one.split()[1] for one in blamed] != [LOSES]), 0),
    ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
