"""Tables for docs/error_rates.md: takes counts of generated cluster-days, gives shares with their intervals.

A row whose signature is judged by other queries today says so. What counts is benchmarks/trust.py.
"""

import json
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from docs_generator import ROOT
from docs_generator.markdown import code, escape, table
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures

RESULTS = "benchmarks/trust_results.json"
PRIORS = (10, 100, 1000)  # one cluster-day in so many has it
SURE_AT = "2"  # sizes of faults for the chance that what is confirmed is so
NOT_MEASURED = "not measured"
Figures = Mapping[str, Any]


def recorded() -> dict[str, Any]:
    """Counts by signature."""
    path = ROOT / RESULTS
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _support(module: str, name: str) -> Callable[..., Any]:
    """What counts is in tests/, which no installation has on its path."""
    tests = str(ROOT / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    found: Callable[..., Any] = getattr(import_module(f"support.generators.fleetgen.{module}"), name)
    return found


def queries_of(name: str, one: Figures, sql: Path) -> str:
    """The day and commit of the queries, and whether they are still those that judge."""
    return still_judged_by(name, one, sql, f"{one['on']}, {code(str(one['commit']))}, seeds from {one['first_seed']}")


def still_judged_by(name: str, one: Figures, sql: Path, by: str) -> str:
    """What figures were measured by, and whether those queries are still the ones that judge."""
    today = _support("judged_by", "signature_hash")(sql, name)
    return by if today == one["queries"] else f"**stale**: its queries have changed since {by}"


def share(events: int, trials: int, per: float = 1.0) -> str:
    """The interval of a share, or of so many per `per`."""
    low, high = _support("score", "interval")(events, trials)
    return f"{per * low:.2f} to {per * high:.2f}"


def false_table(found: Mapping[str, Figures], sql: Path) -> str:
    """A row per signature: clean cluster-days on which it told what is not so."""
    rows = []
    for name in load_signatures(sql):
        one = found.get(name)
        if one is None:
            rows.append([code(name), NOT_MEASURED, "", "", ""])
            continue
        told = ", ".join(map(escape, one["false_causes"]))
        wrong = f"{one['false']} ({told})" if told else str(one["false"])
        rows.append([code(name), f"{one['evaluated']} of {one['clean']}", wrong,
                     share(one["false"], one["evaluated"], 100), queries_of(name, one, sql)])  # fmt: skip
    head = ["Signature", "Clean days evaluated", "With a false finding", "Per 100, 95 % interval", "Queries of"]
    return table(head, rows)


def _mark(name: str, one: Figures, sql: Path) -> str:
    """The signature, and whether its figures are of other queries than those of today."""
    return f"{code(name)} **stale**" if queries_of(name, one, sql).startswith("**stale**") else code(name)


def recall_table(found: Mapping[str, Figures], sql: Path) -> str:
    """A row per cause: at each size, in its own unit, how many of the planted faults were found, and the interval."""
    rows = []
    for name, one in sorted(found.items()):
        for cause, of in one["causes"].items():
            cells = []
            for k, (hit, _sure, planted) in of["found"].items():
                size = f"{of['sizes'][k]}: " if of["sizes"][k] else ""
                cells.append(f"{size}{hit} of {planted}, {share(hit, planted)}")
            rows.append([f"{_mark(name, one, sql)} {code(cause)}", escape(of["about"].partition(" = ")[0]), *cells])
    return table(["Fault", "Size", "1.2 x the threshold", "2 x", "5 x"], rows)


def chance_table(found: Mapping[str, Figures], sql: Path) -> str:
    """A row per signature that may confirm a known issue: the least chance that what is confirmed is so, by priors."""
    rows, chance = [], _support("score", "chance_true")
    for name, one in sorted(found.items()):
        counts = [of["found"][SURE_AT] for cause, of in one["causes"].items() if cause in one["confirming"]]
        if not counts or not one["evaluated"]:
            continue
        sure, planted = sum(each[1] for each in counts), sum(each[2] for each in counts)
        false = one["surely_false"], one["evaluated"]
        causes = ", ".join(map(code, one["confirming"]))
        rows.append(
            [
                _mark(name, one, sql),
                causes,
                f"{sure} of {planted}",
                f"{false[0]} of {false[1]}",
                *(f"{chance(1 / prior, (sure, planted), false):.3f}" if sure else "not shown" for prior in PRIORS),
            ]
        )
    head = ["Signature", "Causes", "Faults told for sure at 2 x", "Clean days told for sure",
            *(f"Prior 1 in {prior:,}" for prior in PRIORS)]  # fmt: skip
    return table(head, rows)


def blocks() -> dict[str, str]:
    """The blocks of the page."""
    found, sql = recorded(), sql_dir()
    return {"false": false_table(found, sql), "recall": recall_table(found, sql), "chances": chance_table(found, sql)}
