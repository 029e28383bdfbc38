"""The table of real days for docs/error_rates.md: takes counts over the corpus, gives shares with their intervals.

What counts is benchmarks/corpus.py. A row whose signature is judged by other queries today says so.
"""

import json
from pathlib import Path
from typing import Any

from docs_generator import ROOT
from docs_generator.markdown import code, escape, table
from docs_generator.trust_tables import NOT_MEASURED, share, still_judged_by
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures

RESULTS = "benchmarks/corpus_results.json"


def recorded() -> dict[str, Any]:
    """Counts by signature."""
    path = ROOT / RESULTS
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def corpus_table(found: dict[str, Any], sql: Path) -> str:
    """A row per signature: what was told falsely, and which faults were found."""
    rows = []
    for name in load_signatures(sql):
        one = found.get(name)
        if one is None:
            rows.append([code(name), NOT_MEASURED, "", "", "", ""])
            continue
        wrong = len({told.partition(":")[0] for told in one["false"]})
        false = f"{wrong} ({escape('; '.join(one['false']))})" if wrong else "0"
        missed = f"; not {escape(', '.join(one['missed']))}" if one["missed"] else ""
        hits = f"{one['found']} of {one['faults']}{missed}" if one["faults"] else "no such fault"
        rows.append(
            [
                code(name),
                f"{one['evaluated']} of {one['healthy']}",
                false,
                share(wrong, one["evaluated"], 100) if one["evaluated"] else "",
                hits,
                share(one["found"], one["faults"]) if one["faults"] else "",
                still_judged_by(name, one, sql, f"{one['on']}, {code(str(one['commit']))}"),
            ]
        )
    head = ["Signature", "Clusters without the fault evaluated", "With a false finding", "Per 100, 95 % interval",
            "Faults found", "95 % interval", "Queries of"]  # fmt: skip
    return table(head, rows)


def blocks() -> dict[str, str]:
    """The block of the page."""
    return {"real days": corpus_table(recorded(), sql_dir())}
