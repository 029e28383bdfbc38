"""The judgement on labelled fleets, in small: nothing false on clean clusters, faults found at twice the threshold.

The gates over 1,000 clean cluster-days are those of `python -m support.generators.fleetgen.benchmark` (docs/trust.md).
"""

import json
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.raw.manifests import manifests
from support.generators.fleetgen.benchmark import SEEN, first_seed, planted
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.judged_by import queries_hash, stale
from support.generators.fleetgen.score import Score, failures, lower_share, score, upper_share
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


PAGE = Path(__file__).resolve().parents[3] / "docs" / "trust.md"


def test_the_figures_are_those_of_the_queries_as_they_are() -> None:
    assert stale(PAGE.read_text(encoding="utf-8"), sql_dir()) is None


def test_a_table_of_other_queries_is_stale(tmp_path: Path) -> None:
    sql = shutil.copytree(sql_dir(), tmp_path / "sql")
    table = f"Queries: `sql/` {queries_hash(sql)}; seeds from 1\n\n| Signature | Clean days (evaluated) |\n"
    assert stale(table, sql) is None
    assert stale(table.partition("\n")[2], sql) is not None  # a table that does not say by what
    (sql / "signatures/fetch_latency/cases/new.yaml").write_text("judges: nothing")
    assert stale(table, sql) is None
    query = sorted((sql / "marts").glob("*.sql"))[0]
    query.write_text(query.read_text() + "\n-- changed\n")
    assert "withdraw or renew" in (stale(table, sql) or "")
    assert stale("no table", sql) is None


def test_seeds_are_new_unless_given_and_stay_those_of_their_work_folder(tmp_path: Path) -> None:
    drawn = [first_seed(tmp_path / name, None) for name in ("a", "b")]
    assert min(drawn) >= SEEN
    assert drawn[0] != drawn[1]
    assert first_seed(tmp_path / "a", None) == first_seed(tmp_path / "a", drawn[0]) == drawn[0]
    with pytest.raises(ValueError, match="remove it, or take another"):
        first_seed(tmp_path / "a", 5)
