"""A day's judgement in brief: what letters compare with, and what trends are drawn from.

findings/ds=D/<generation>/verdicts/<cluster>.json   one cluster: state per signature, and every finding but those not
                                                     affected, without its evidence
findings/ds=D/<generation>/summary.json              all clusters: verdict per signature, counts
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.documents.coverage import reached, set_aside
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home, HomeGeneration
from kafka_fleet.store.versions import document

FIELDS = ("advisory", "signature", "cause", "verdict", "severity", "exposure", "signature_state", "subjects", "release")
CLEAN_DAYS = 3  # days on which a symptom was looked for and not there, before it is called better or gone


class DaySummary(NamedTuple):
    """reached: whether anything of the cluster answered. states: by signature. rows: FIELDS and basis of a finding.

    release: those of its brokers, in words; None where they were not read, and in briefs of older versions.
    """

    reached: bool
    states: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]
    release: str | None = None


def has_symptom(row: Mapping[str, Any]) -> bool:
    """Whether a row rests on a symptom that was seen, and not on release and configuration alone."""
    # the signature may be detected by a cause of which the advisory knows nothing: then it names none
    return row["verdict"] in ("confirmed", "look_alike") or (
        row["signature_state"] == "detected" and bool(row["cause"])
    )


def day_summary(
    findings: Sequence[Mapping[str, Any]],
    states: Mapping[str, str],
    answered: bool,
    basis: Mapping[str, Sequence[str]],
    release: str | None = None,
) -> dict[str, Any]:
    """The document, from one cluster's findings. answered: whether anything of the cluster did, so that it was reached.

    basis: per advisory the settings that its exposure rests on. release: of the cluster's brokers.
    """
    rows = [
        {**{name: one[name] for name in FIELDS}, "basis": list(basis.get(one["advisory"] or "", ()))}
        for one in findings
        if one["verdict"] != "not_affected"
    ]
    states = dict(sorted(states.items()))
    return {"schema_version": 1, "reached": answered, "release": release, "states": states, "rows": rows}


def stored_day_summary(home: Path, ds: str, generation: str, cluster: str) -> dict[str, Any] | None:
    """The document of a generation; of a day that was judged before there were any, made of findings and dossier.

    None where the generation has no such cluster. Raises ValueError for a damaged document.
    """
    of = Home(home).generation(ds, generation)
    try:
        text = of.verdict(cluster).read_bytes()
    except FileNotFoundError:
        return _older(of, cluster)
    found: dict[str, Any] = document(text, f"the judgement of {cluster} on {ds}")
    return found


def _older(of: HomeGeneration, cluster: str) -> dict[str, Any] | None:
    try:
        dossier = document(of.cluster(cluster).read_bytes(), f"{of.findings}: {cluster}")
        own = _findings(of.finding_list).get(cluster, [])
    except FileNotFoundError:
        return None
    states = {one["signature"]: one["state"] for one in dossier["signatures"]}
    return day_summary(own, states, reached(dossier), {})


@lru_cache(maxsize=1)
def _findings(path: Path) -> dict[str, list[dict[str, Any]]]:
    """A day's findings by cluster; a generation's documents never change."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in document(path.read_bytes(), str(path)):
        found.setdefault(one["cluster"], []).append(one)
    return found


def read_day_summary(home: Path, ds: str, cluster: str, generation: str | None = None) -> DaySummary | None:
    """None where the day was not judged, or not with this cluster. Raises ValueError for a damaged document.

    generation: the published one unless it is given.
    """
    generation = generation or current_generation(Home(home).day(ds).findings)
    if generation is None:
        return None
    content = stored_day_summary(home, ds, generation, cluster)
    if content is None:
        return None
    return DaySummary(content["reached"], content["states"], content["rows"], content.get("release"))


def cells(short: Mapping[str, Any]) -> dict[str, str]:
    """Signature -> the worst verdict of its findings, else its state: `quiet` or `not_evaluated`."""
    found = dict(short["states"])
    worst = dict.fromkeys(found, 0)
    for row in short["rows"]:
        name, rank = row["signature"], VERDICT_RANK[row["verdict"]]
        # exposed by release alone says nothing of the symptom
        shown = rank > VERDICT_RANK["exposed"] or row["signature_state"] == "detected"
        if name in worst and shown and rank > worst[name]:
            worst[name], found[name] = rank, row["verdict"]
    return found


def summary(dossier: Mapping[str, Any], short: Mapping[str, Any]) -> dict[str, Any]:
    """One cluster's row of summary.json, from its dossier and its brief."""
    counts = dict.fromkeys(VERDICT_RANK, 0)
    for row in short["rows"]:
        counts[row["verdict"]] += 1
    return {
        "environment": dossier["environment"],
        "owners": dossier["owners"],
        "reached": short["reached"],
        "problem": dossier["declaration_error"] or set_aside(dossier),
        "counts": {verdict: counts[verdict] for verdict in VERDICT_RANK if verdict != "not_affected"},
        "cells": cells(short),
    }
