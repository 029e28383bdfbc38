"""The fleet file changes while a day is judged: the run uses the fleet as it found it, and costs nobody a letter."""

import pytest
import yaml

from kafka_fleet.store.generations import current_generation
from support.airflow_runs.dag_runs import ARCHIVE, CLUSTERS, GONE, PAYMENTS, entry, spark_left_out, write_fleet
from support.builders.letter_rows import DS

pytestmark = [pytest.mark.fault(73), pytest.mark.sampled]

NEW = "new@example.org"


def while_spark_works(monkeypatch, change):
    """Let something happen between `coverage` and `analyze`."""

    def execute(task, context):
        change()
        spark_left_out(task, context)

    monkeypatch.setattr("fleet_airflow.spark_submit.FleetSparkSubmit.execute", execute)


def add(path, *entries):
    content = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**content, "clusters": [*content["clusters"], *entries]}))


def test_an_entry_without_sweeps_that_leaves_the_file_costs_nobody_a_letter(run, monkeypatch):
    run.land()
    before = run.fleet_file.read_text()
    add(run.fleet_file, entry("just-added", [NEW]))
    while_spark_works(monkeypatch, lambda: run.fleet_file.write_text(before))
    seen = run()
    assert (seen.state, seen.letters) == ("success", "g0001")
    assert sorted(seen.mailed) == sorted([ARCHIVE, GONE, NEW, PAYMENTS])
    again = run()
    assert (again.state, sorted(again.mailed)) == ("success", sorted([ARCHIVE, GONE, NEW, PAYMENTS]))


def test_a_file_that_breaks_altogether_costs_nobody_a_letter(run, monkeypatch):
    run.land()
    while_spark_works(monkeypatch, lambda: run.fleet_file.write_text("clusters: ["))
    seen = run()
    assert (seen.state, seen.letters) == ("success", "g0001")
    assert sorted(seen.mailed) == [ARCHIVE, GONE, PAYMENTS]
    assert "the owners are those of the fleet file as this run found it" in seen.log


def test_owners_that_are_corrected_in_the_file_count_and_so_does_a_digest(run, monkeypatch):
    run.land()
    monkeypatch.setenv("KAFKA_FLEET_DIGESTS", NEW)

    def corrected():
        write_fleet(run.home)
        text = run.fleet_file.read_text().replace(GONE, NEW)
        run.fleet_file.write_text(text)
        add(run.fleet_file, entry("of-tomorrow", [NEW]))

    while_spark_works(monkeypatch, corrected)
    seen = run()
    assert sorted(seen.mailed) == [ARCHIVE, NEW, PAYMENTS]
    digest = next(message for to, message in run.box.received if to == NEW)
    assert "of-tomorrow" not in digest.get_body(("plain",)).get_content()


def test_what_is_kept_is_the_fleet_without_any_secret_and_judge_reads_it_when_it_is_cleared(run):
    run.land()
    add(run.fleet_file, {"id": "wrong", "environment": "nowhere", "password": "canary-27aa"})
    assert run().state == "success"
    kept = (run.home / f"runs/ds={DS}/g0001.fleet").read_text()
    assert all(f'"id": "{name}"' in kept for name in CLUSTERS)
    assert "nowhere" in kept
    assert "canary-27aa" not in kept
    assert current_generation(run.home / f"reports/ds={DS}") == "g0001"
