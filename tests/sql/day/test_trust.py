"""The judgement on labelled fleets, in small: nothing false on clean clusters, faults found at twice the threshold.

The gates over 1,000 clean cluster-days are those of `scripts/prove trust` (docs/trust.md).
"""

import json
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks.trust import ROOT, recorded, size
from docs_generator.trust_tables import blocks, queries_of
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.raw.manifests import manifests
from support.generators.fleetgen.benchmark import SEEN, first_seed, planted
from support.generators.fleetgen.catalogue import every_fault
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.judged_by import signature_hash
from support.generators.fleetgen.score import (
    Planted,
    Score,
    chance_true,
    failures,
    interval,
    lower_share,
    score,
    upper_share,
)
from support.generators.fleetgen.shape import DS
from support.generators.generated import CLEAN, EACH, Generated, Row, clean, faulty
from support.oracles.facts_oracle import ELSEWHERE, Oracle

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
SMALL = {one.cluster for one in sorted(clean(), key=lambda s: len(s.brokers) * sum(t.partitions for t in s.topics))[:4]}
SIGNATURES = sorted(load_signatures(sql_dir()))


def comparable(rows: list[Row], *without: str) -> list[str]:
    """Rows as sorted text; a float is its shortest exact decimal, so equal text is equal to the last bit."""
    kept = [{name: value for name, value in row.items() if name not in without} for row in rows]
    return sorted(json.dumps(row, sort_keys=True, default=datetime.isoformat) for row in kept)


@pytest.mark.parametrize("signature", SIGNATURES)
def test_clean_clusters_have_no_false_finding(fleets: Generated, signature: str) -> None:
    made = score(signature, [planted(spec) for spec in clean()], fleets.results)
    assert made.clean == CLEAN
    assert made.false == []


@pytest.mark.parametrize(("signature", "cause"), sorted({one for label, _spec in faulty() for one in label.must}))
def test_a_fault_at_twice_the_threshold_is_found(fleets: Generated, signature: str, cause: str) -> None:
    labels = [label for label, _spec in faulty() if (signature, cause) in label.must]
    made = score(signature, labels, fleets.results)
    assert made.missed == []
    assert made.right >= 1
    assert made.wrong == []


def test_every_signature_has_faults() -> None:
    planted = {name for label, _spec in faulty() for name, _cause in label.must}
    folder = "tests/support/generators/fleetgen/faults"
    assert sorted(set(SIGNATURES) - planted) == [], (
        f"add {folder}/<id>.py with faults(), as {folder}/unclean_restart.py"
    )
    assert planted <= set(SIGNATURES)


def test_bulk_and_single_sweeps_give_the_same_facts(fleets: Generated) -> None:
    assert len([one for one in manifests(fleets.home, DS)[0] if one.cluster == EACH]) == healthy(0).sweeps
    counters = "broker_counters", "topic_counters"
    for table in ("broker_intervals", *counters, "partition_rates", "commit_intervals", "broker_days"):
        rows = fleets.facts(table)
        bulk, single = ([row for row in rows if row["cluster"] == name] for name in (clean()[0].cluster, EACH))
        assert len(bulk) >= 3
        assert comparable(bulk, "cluster", "laid_beside") == comparable(single, "cluster", "laid_beside")
        if table == "broker_intervals":  # the rates of the one are looked up by the day, of the other they are stored
            assert {row["laid_beside"] for row in bulk} == {False}
            assert all(row["laid_beside"] for row in single if row["kind"] == "sweeps")


@pytest.fixture(scope="module")
def oracle(fleets: Generated) -> Oracle:
    """The second computation, of the smallest generated clusters: it is quadratic."""
    made = Oracle(fleets.home, DS)
    made.raw = {name: [row for row in rows if row["cluster"] in SMALL] for name, rows in made.raw.items()}
    return made


@pytest.mark.fault(59)
@pytest.mark.parametrize("table", ["broker_intervals", "broker_counters", "partition_rates", "topic_counters"])
def test_facts_of_generated_fleets_equal_a_second_computation(fleets: Generated, oracle: Oracle, table: str) -> None:
    stored = [row for row in fleets.facts(table) if row["cluster"] in SMALL]
    expected = list(getattr(oracle, table)())
    assert len(stored) > 100
    assert set(stored[0]) == set(expected[0]) | ELSEWHERE.get(table, set())
    assert comparable([{name: row[name] for name in expected[0]} for row in stored]) == comparable(expected)


@pytest.mark.parametrize(
    ("events", "trials", "expected"), [(0, 1000, 0.36821), (1, 100, 5.44594), (3, 1000, 0.87420), (5, 5, 100.0)]
)
def test_upper_bounds_are_those_of_clopper_and_pearson(events: int, trials: int, expected: float) -> None:
    assert 100 * upper_share(events, trials) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("events", "trials", "expected"), [(18, 18, 0.81470), (12, 12, 0.73535), (9, 10, 0.55498)])
def test_lower_bounds_are_those_of_clopper_and_pearson(events: int, trials: int, expected: float) -> None:
    assert lower_share(events, trials) == pytest.approx(expected, abs=1e-5)


def test_recall_is_what_is_shown_and_not_the_share_that_was_found() -> None:
    few, many = Score("isr_stagnation", by_k={2.0: [18, 18]}), Score("isr_stagnation", by_k={2.0: [80, 80]})
    assert [text for text in failures(few) if "18 faults show a recall of 0.81" in text]
    assert failures(many) == []


def test_the_chance_that_what_is_confirmed_is_so() -> None:
    """With 72 of 72 found and none of 1,000 healthy days told: 0.1 * 0.950 / (0.1 * 0.950 + 0.9 * 0.00368)."""
    assert chance_true(0.1, (72, 72), (0, 1000)) == pytest.approx(0.96629, abs=1e-5)
    assert chance_true(0.001, (72, 72), (0, 1000)) == pytest.approx(0.20526, abs=1e-5)
    assert chance_true(0.1, (0, 0), (0, 1000)) == 0.0
    assert interval(0, 0) == (0.0, 1.0)


def test_what_is_found_for_sure_is_counted_by_cause() -> None:
    label = ("isr_stagnation", "frozen")
    told = [{"cause": "frozen", "strength": strength} for strength in ("conclusive", "suggestive")]
    clusters = [Planted(f"c-{n}", frozenset({label}), fault="frozen", k=2.0) for n in range(3)]
    clusters += [Planted(f"clean-{n}") for n in range(2)]
    results = [
        {"cluster": one.cluster, "signature": label[0], "state": "detected" if found else "quiet", "detections": found}
        for one, found in zip(clusters, ([told[0]], [told[1]], [], [told[0]], [told[1]]), strict=True)
    ]
    made = score(label[0], clusters, results)
    assert made.by_cause == {"frozen": {2.0: [2, 1, 3]}}
    assert (made.surely_false({"frozen"}), made.surely_false({"dead_broker"})) == (1, 0)


def test_sizes_are_in_the_threshold_s_own_unit() -> None:
    about = {(one.signature, one.cause): one.about for one in every_fault()}
    assert size("isr_stagnation", about["isr_stagnation", "frozen"], 1.2) == "360 s"
    assert size("isr_stagnation", about["isr_stagnation", "frozen"], 5) == "25 min"
    assert size("availability", about["availability", "log_dir"], 1.2) == "2"
    assert size("unclean_restart", about["unclean_restart", "killed"], 2) == ""
    assert [key for key, text in about.items() if not size(key[0], text, 2.0)] == [("unclean_restart", "killed")]


def test_a_row_of_other_queries_says_so(tmp_path: Path) -> None:
    """A query, a threshold or a need of the signature, or a fact that it reads; not words, cases, or other facts."""
    sql = shutil.copytree(sql_dir(), tmp_path / "sql")
    one = {"on": "2026-11-26", "commit": "abc", "first_seed": 20_000, "queries": signature_hash(sql, "fetch_latency")}
    assert "stale" not in queries_of("fetch_latency", one, sql)
    own, other = sql / "signatures/fetch_latency", sql / "signatures/quorum_health"
    (own / "cases/new.yaml").write_text("judges: nothing")
    (other / "detections.sql").write_text("SELECT 1")
    (sql / "marts/quorum_nodes.sql").write_text("SELECT 1")
    words = own / "signature.yaml"
    words.write_text(words.read_text().replace("reason: ", "reason: As it is said. ", 1))
    assert "stale" not in queries_of("fetch_latency", one, sql)
    for path, old, new in (
        (words, "thresholds:\n", "thresholds:\n  more: {value: 1}\n"),
        (words, "    of: brokers\n", "    of: cluster\n"),
        (own / "detections.sql", "SELECT", "SELECT DISTINCT"),
        (sql / "marts/cluster_sweeps.sql", "SELECT", "SELECT DISTINCT"),  # what its facts are made of
    ):
        kept = path.read_text()
        path.write_text(kept.replace(old, new, 1))
        assert "**stale**" in queries_of("fetch_latency", one, sql), path
        path.write_text(kept)


def test_published_rows_say_by_what_and_of_how_many() -> None:
    page = (ROOT / "docs/error_rates.md").read_text(encoding="utf-8")
    for name, block in blocks().items():
        assert block in page, f"{name}: python docs/generate.py"
    for name, one in recorded().items():
        assert one["first_seed"] >= SEEN
        assert 0 < one["evaluated"] <= one["clean"], name
        assert set(one["causes"]) <= {fault.cause for fault in every_fault() if fault.signature == name}


def test_seeds_are_new_unless_given_and_stay_those_of_their_work_folder(tmp_path: Path) -> None:
    drawn = [first_seed(tmp_path / name, None) for name in ("a", "b")]
    assert min(drawn) >= SEEN
    assert drawn[0] != drawn[1]
    assert first_seed(tmp_path / "a", None) == first_seed(tmp_path / "a", drawn[0]) == drawn[0]
    with pytest.raises(ValueError, match="remove it, or take another"):
        first_seed(tmp_path / "a", 5)
