"""Two judgements of the same days side by side: what comes, goes, has another verdict or another target."""

import json
from pathlib import Path
from typing import Any

from kafka_fleet.documents.pack_changes import PackChange, pack_changes
from kafka_fleet.store.generations import publish
from support.builders.letter_rows import finding
from support.builders.letter_samples import payments

DAYS = ("2026-11-20", "2026-11-21")


def plan(release: str | None) -> dict[str, Any]:
    step = {"component": "broker", "release": release, "closes": [], "leaves": [], "opens": [], "steps": []}
    step |= {"client_floor": None, "why": ""}
    return {"now": step if release else None, "next": None, "clients": None, "note": None}


def judged(results: Path, ds: str, findings: list[dict[str, Any]], release: str | None) -> None:
    folder = results / f"findings/ds={ds}/g0001"
    (folder / "clusters").mkdir(parents=True)
    (folder / "findings.json").write_text(json.dumps(findings))
    report = payments() | {"ds": ds, "plan": plan(release)}
    (folder / "clusters/payments-eu.json").write_text(json.dumps(report))
    publish(folder.parent, "g0001")


def test_what_differs_is_told_once_for_all_days_that_have_it(tmp_path: Path) -> None:
    before, after = tmp_path / "r0001", tmp_path / "r0002"
    for ds in DAYS:
        judged(
            before,
            ds,
            [finding("KAFKA-1", "confirmed"), finding("KAFKA-2", "exposed"), finding("KAFKA-4", "unknown")],
            "4.1.2",
        )
        new = [finding("KAFKA-1", "look_alike"), finding("KAFKA-2", "not_affected"), finding("KAFKA-3", "exposed")]
        judged(after, ds, [*new, finding("KAFKA-4", "unknown")], "4.2.2" if ds == DAYS[1] else "4.1.2")
    found = pack_changes(before, after, [*DAYS, "2026-11-22"])
    assert found.days == dict.fromkeys(DAYS, 1)
    assert found.changes == [
        PackChange("payments-eu", "comes", "KAFKA-3", None, "exposed", DAYS),
        PackChange("payments-eu", "goes", "KAFKA-2", "exposed", None, DAYS),
        PackChange("payments-eu", "verdict", "KAFKA-1", "confirmed", "look_alike", DAYS),
        PackChange("payments-eu", "upgrade", "brokers, now", "4.1.2", "4.2.2", DAYS[1:]),
    ]
    assert found.changes[3].plain()["days"] == [DAYS[1]]


def test_equal_judgements_differ_in_nothing_and_days_of_one_alone_are_not_compared(tmp_path: Path) -> None:
    before, after = tmp_path / "r0001", tmp_path / "r0002"
    for results in (before, after):
        judged(results, DAYS[0], [finding("KAFKA-1", "confirmed")], None)
    judged(before, DAYS[1], [finding("KAFKA-1", "confirmed")], None)
    assert pack_changes(before, after, DAYS) == ([], {DAYS[0]: 1})
