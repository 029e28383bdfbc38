"""The day of a soak, judged: takes the home with its raw, runs analyze and report, gives the gates that held."""

import json
import time
from collections import Counter
from pathlib import Path

from benchmarks.measure import gate
from benchmarks.soak_fleet import DEAD, Soak
from kafka_fleet.cli import main as cli
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home, HomeGeneration


def judge(soak: Soak, home: Path) -> list[bool]:
    """Facts, findings and letters of the day: every cluster, the dead one as not measured, faults as counted."""
    at = ["--home", str(home), "--date", soak.day]
    fleet = home.parent / "soak-fleet.yaml"
    started = time.monotonic()
    code = cli.main(["analyze", *at])
    print(f"  analyze: {time.monotonic() - started:.0f} s")
    started = time.monotonic()
    code += cli.main(["report", "--fleet", str(fleet), *at])
    print(f"  report: {time.monotonic() - started:.0f} s")
    held = [gate("exit codes of analyze and report", code, 0)]
    day = Home(home).day(soak.day)
    published = day.generation(str(current_generation(day.findings)))
    summary = json.loads(published.summary.read_bytes())["clusters"]
    held.append(gate("clusters that are not in the summary", len(set(soak.names) - set(summary)), 0))
    unmeasured = {name for name, row in summary.items() if not row["reached"]}
    held.append(gate("clusters wrongly said to be measured, or not to be", len(unmeasured ^ {DEAD}), 0))
    judged = {name for name, row in summary.items() if set(row["cells"].values()) != {"not_evaluated"}}
    held.append(gate("living clusters of which no signature is evaluated", len(set(soak.names) - judged - {DEAD}), 0))
    letters = day.generation(str(current_generation(day.reports))).letters
    told = {path.stem for path in letters.glob("cluster-*.html")}
    held.append(gate("clusters without a letter", len(set(soak.names) - told), 0))
    held.append(gate("clusters whose letter miscounts sweeps or faults", len(_miscounted(soak, published)), 0))
    findings = json.loads(published.finding_list.read_bytes())
    print(f"  {len(findings)} findings: {dict(sorted(Counter(one['verdict'] for one in findings).items()))}")
    return held


def _miscounted(soak: Soak, published: HomeGeneration) -> list[str]:
    """Clusters whose coverage, which the letter prints, is not what was injected."""
    expected = soak.expected(range(soak.sweeps))
    found = []
    for name in soak.names:
        coverage = json.loads(published.cluster(name).read_bytes())["coverage"]
        failed = sum(broker["failed"] for broker in coverage["brokers"])
        ok = sum(broker["ok"] for broker in coverage["brokers"])
        due = sum(
            number for (cluster, outcome, _k), number in expected.items() if (cluster, outcome) == (name, "failed")
        )
        if (coverage["sweeps"], failed, ok) != (soak.sweeps, due, expected[name, "ok", None]):
            found.append(f"{name}: {coverage['sweeps']} sweeps, {failed} failed, {ok} ok; {due} faults were injected")
    print(*found[:5], sep="\n", end="\n" if found else "")
    return found
