"""Runs of fleet_health with all but Spark: who gets mail, and a mail server that refuses one and puts off another."""

import errno

import pytest

from kafka_fleet.report import render
from kafka_fleet.store import generations
from support.airflow_runs.dag_runs import ARCHIVE, CLUSTERS, GONE, PAYMENTS
from support.builders.letter_rows import DS


@pytest.mark.sampled("dag-mail-again")
@pytest.mark.fault(46)
def test_naming_clusters_limits_the_mail_and_nothing_else_and_who_has_a_letter_gets_no_second_one(run):
    run.land()
    one, everybody = run(clusters=["archive-eu"]), run()
    assert (one.state, one.letters, everybody.state, everybody.letters) == ("success", "g0001", "success", "g0002")
    assert (one.tasks[("mail", "archive-eu")], one.tasks[("mail", "payments-eu")]) == ("success", "skipped")
    for seen in (one, everybody):
        assert {seen.tasks[("render", name)] for name in CLUSTERS} == {"success"}
    assert one.mailed == [ARCHIVE]
    assert {everybody.tasks[("mail", name)] for name in CLUSTERS} == {"success"}
    assert sorted(everybody.mailed) == [ARCHIVE, GONE, PAYMENTS], "each once, of two runs"
    joined = f"sweeps of {DS} are in"
    assert (one.log.count(joined), everybody.log.count(joined)) == (2, 0), (
        "the second run reads what the first one joined"
    )


@pytest.mark.fault(51)
def test_letters_are_there_whatever_the_mail_server_says_and_a_bad_address_costs_no_other(run, box):
    busy = ["451 the mailbox is locked"]
    box.answers[GONE] = "550 no such user"
    box.on_data = lambda to: busy.pop() if to == ARCHIVE and busy else "250 kept"
    run.land()
    seen = run()
    steps = ("coverage", "compact", "analyze", "letters", "publish", "tidy")
    assert {seen.tasks[(step, None)] for step in steps} == {"success"}
    assert {seen.tasks[("render", name)] for name in CLUSTERS} == {"success"}
    assert seen.letters == "g0001"
    assert seen.tasks[("mail", "archive-eu")] == "success", "what is put off goes out with the retry"
    assert seen.tasks[("mail", "payments-eu")] == "failed"
    tries = {name: seen.tries[("mail", name)] for name in CLUSTERS}
    assert tries == {"archive-eu": 2, "payments-eu": 1}, "who is not known is not asked for again"
    assert sorted(seen.mailed) == [ARCHIVE, PAYMENTS]
    assert GONE in seen.log
    assert "no such user" in seen.log
    assert seen.state == "failed", "red, so that somebody mends the address"


@pytest.mark.sampled("dag-mail")
@pytest.mark.parametrize("digests", ["", ARCHIVE])
@pytest.mark.fault(74)
def test_nothing_is_mailed_of_a_day_that_could_not_be_published(run, monkeypatch, digests):
    run.land()
    publish = generations.publish

    def full(folder, generation):
        if "reports" in str(folder):
            raise OSError(errno.ENOSPC, "No space left on device")
        return publish(folder, generation)

    monkeypatch.setattr("kafka_fleet.store.generations.publish", full)
    monkeypatch.setenv("KAFKA_FLEET_DIGESTS", digests)
    failed = run()
    assert (failed.state, failed.letters, failed.mailed) == ("failed", None, [])
    assert {failed.tasks[("render", name)] for name in CLUSTERS} == {"success"}
    assert failed.tasks[("publish", None)] == "failed"
    assert {state for (task, _label), state in failed.tasks.items() if task in ("mail", "digest")} == {
        "upstream_failed"
    }
    monkeypatch.setattr("kafka_fleet.store.generations.publish", publish)
    mended = run()
    assert (mended.state, mended.letters) == ("success", "g0002")
    assert sorted(mended.mailed) == [ARCHIVE, GONE, PAYMENTS]


@pytest.mark.sampled("dag-mail-again")
def test_a_letter_that_could_not_be_written_costs_no_other_its_mail(run, monkeypatch):
    run.land()

    monkeypatch.setenv("KAFKA_FLEET_DIGESTS", ARCHIVE)
    write = render.write_letter

    def one_fails(home, ds, generation, cluster):
        if cluster == "archive-eu":
            raise OSError(errno.EIO, "Input/output error")
        return write(home, ds, generation, cluster)

    monkeypatch.setattr("kafka_fleet.report.render.write_letter", one_fails)
    seen = run()
    assert seen.tasks[("render", "archive-eu")] == seen.tasks[("mail", "archive-eu")] == "failed"
    assert seen.tasks[("mail", "payments-eu")] == seen.tasks[("digest", None)] == "success"
    assert sorted(seen.mailed) == [ARCHIVE, GONE, PAYMENTS]
