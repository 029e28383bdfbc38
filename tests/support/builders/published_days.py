"""Judged days without a judge: takes a home, writes findings, briefs, summaries and letters as the jobs do."""

import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kafka_fleet.report.render import publish as publish_reports
from kafka_fleet.report.render import write_letter
from kafka_fleet.store.generations import claim_generation, note_run, publish
from kafka_fleet.store.home import Home
from support.builders.day_samples import plots_document
from support.builders.documents import day_summary, summary
from support.builders.letter_rows import DS, evidence, finding
from support.builders.letter_samples import payments, unreached

SIGNATURES = ("fetch_latency", "isr_stagnation", "offset_rewind", "partition_growth", "partition_skew")
BUG = {"signature": "fetch_latency", "cause": "follower"}
Json = dict[str, Any]


def dossier(cluster: str, ds: str, states: Mapping[str, str] | None = None, **more: Any) -> Json:
    """The sample cluster under another name and on another day. states: by signature, quiet unless named."""
    made = payments() | {"cluster": cluster, "ds": ds}
    shown = made["signatures"][0]
    charts = json.loads(json.dumps(shown["charts"]).replace("2026-11-20", ds))
    made["signatures"] = [
        {**shown, "signature": name, "state": (states or {}).get(name, "quiet"), "charts": charts if not place else []}
        for place, name in enumerate(SIGNATURES)
    ]
    return made | more


def publish_day(home: Path, ds: str, clusters: Mapping[str, tuple[Json, Sequence[Json]]], letters: bool = True) -> str:
    """Publish a day: cluster -> its dossier and its findings. Gives the generation."""
    generation = claim_generation(home, ds)
    folder = home / f"findings/ds={ds}/{generation}"
    (folder / "clusters").mkdir(parents=True)
    (folder / "verdicts").mkdir()
    (folder / "plots").mkdir()
    findings = [{**row, "cluster": name, "ds": ds} for name, (_about, rows) in clusters.items() for row in rows]
    (folder / "findings.json").write_text(json.dumps(findings))
    summaries = {}
    for name, (about, rows) in clusters.items():
        reached = about["declaration_error"] is None and bool(about["coverage"]["sweeps"])
        states = {one["signature"]: one["state"] for one in about["signatures"]}
        releases = sorted({one["release"] for one in about["coverage"]["brokers"] if one["release"]})
        short = day_summary(rows, states, reached, {}, ", ".join(releases) or None)
        summaries[name] = summary(about, short).plain()
        (folder / f"clusters/{name}.json").write_text(json.dumps(about))
        Home(home).generation(ds, generation).verdict(name).write_text(json.dumps(short.plain()))
        if reached:
            Home(home).generation(ds, generation).plots(name).write_text(json.dumps(plots_document(name, ds)))
    (folder / "summary.json").write_text(json.dumps({"schema_version": 1, "clusters": summaries}))
    publish(folder.parent, generation)
    if letters:
        for name in clusters:
            write_letter(home, ds, generation, name)
        publish_reports(home, ds, generation)
    return generation


def day(back: int = 0) -> str:
    """So many days before the sample day."""
    return (date.fromisoformat(DS) - timedelta(days=back)).isoformat()


def confirmed() -> Json:
    return finding("KAFKA-14334", "confirmed", signature_state="detected", evidence=[evidence()], **BUG)


def exposed(state: str = "quiet") -> Json:
    return finding("KAFKA-14334", "exposed", signature_state=state, **BUG)


def four_days(home: Path) -> None:
    """Three clusters: payments-eu gets its bug on the third day, archive-eu has nothing, lost-eu never answers."""
    shutil.copytree(_four_days().name, home, dirs_exist_ok=True)


@cache
def _four_days() -> TemporaryDirectory[str]:
    """They are made once in a process, which takes a second."""
    made = TemporaryDirectory(prefix="four-days-")
    home = Path(made.name)
    generation = ""
    for back, states in ((3, "quiet"), (2, "not_evaluated"), (1, "detected"), (0, "detected")):
        ds = day(back)
        rows = [confirmed()] if back < 2 else [exposed(states)]
        clusters = {
            "payments-eu": (dossier("payments-eu", ds, {"fetch_latency": states}), rows),
            "archive-eu": (dossier("archive-eu", ds, environment="staging", owners=["b@example.org"]), []),
            "lost-eu": (dossier("lost-eu", ds, coverage=unreached()["coverage"]), [finding("KAFKA-1", "unknown")]),
        }
        generation = publish_day(home, ds, clusters)
    note_run(home, DS, generation, "fleet_health", "scheduled__2026-11-20T00:00:00+00:00")
    return made
