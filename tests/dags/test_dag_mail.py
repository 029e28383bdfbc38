"""Runs of fleet_health with all but Spark: who gets mail, and a mail server that refuses one and puts off another."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

import computed_days
from kafka_fleet.store.generations import current
from letter_rows import DS
from mail_server import mail_server
from published_days import exposed
from recorded import changed, land_all, recorded_day

CLUSTERS = computed_days.CLUSTERS
ARCHIVE, GONE, PAYMENTS = (f"{name}@example.org" for name in ("archive", "gone", "payments"))


class Seen(NamedTuple):
    """A run: its state, its tasks' by (task, label), how often each letter was begun, who has got one so far.

    And what was logged, and the generation of the published letters.
    """

    state: str
    tasks: dict[tuple[str, str | None], str]
    tries: dict[str | None, int]
    mailed: list[str]
    log: str
    letters: str | None


def spark_left_out(task, context):
    """What spark-submit leaves of a day, written by the code of the jobs from rows that are computed already."""
    stage, home, generation = (task.application_args[place] for place in (0, 2, 6))
    assert task.application_args[1:6:2] == ["--home", "--ds", "--generation"]
    assert "--clusters" not in task.application_args, "the whole day is judged, whoever is to be told"
    folder = Path(home)
    if stage == "facts":
        computed_days.facts(folder, generation, 2)
    else:
        computed_days.judge(folder, generation, exposed())


def to_the_day(sweeps):
    for one in sweeps:
        one.move(date.fromisoformat(DS) - date.fromisoformat(recorded_day()))


def entry(name, owners):
    jolokia = {"brokers": {1: "http://127.0.0.1:9/jolokia"}}
    kafka = {"bootstrap_servers": ["127.0.0.1:9"], "jolokia": jolokia}
    return {"id": name, "environment": "development", "owners": owners, **kafka}


@pytest.fixture
def run(database, bag, fleet_home, box, monkeypatch, caplog):
    """Runs the day of two clusters, of which one has two owners; `box` says how the mail server answers."""
    for name in CLUSTERS:
        land_all(fleet_home, changed("follower331", name, to_the_day))
    owners = dict(zip(CLUSTERS, ([ARCHIVE], [GONE, PAYMENTS]), strict=True))
    fleet = {"version": 1, "clusters": [entry(name, owners[name]) for name in CLUSTERS]}
    (fleet_home.parent / "fleet.yaml").write_text(yaml.safe_dump(fleet))
    dag = bag.dags["fleet_health"]
    monkeypatch.setattr(dag, "deadline", None)  # DAG.test cannot end a run well that has one: it takes it for its id
    monkeypatch.setattr("fleet_submit.FleetSparkSubmit.execute", spark_left_out)
    monkeypatch.setitem(dag.task_dict["mail"].partial_kwargs, "retry_delay", timedelta(seconds=1))

    def run(clusters=None):  # named in either case: DAG.test keeps what an earlier run was given
        caplog.clear()
        with caplog.at_level("INFO"):
            done = dag.test(run_conf={"ds": DS, "notify": "always", "clusters": clusters})
        tasks = done.get_task_instances()
        return Seen(
            str(done.state),
            {(one.task_id, one.rendered_map_index): str(one.state) for one in tasks},
            {one.rendered_map_index: one.try_number for one in tasks if one.task_id == "mail"},
            list(box.recipients),
            caplog.text,
            current(fleet_home / f"reports/ds={DS}"),
        )

    with mail_server(box) as port:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        smtp = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": extra}
        monkeypatch.setenv("AIRFLOW_CONN_SMTP_DEFAULT", json.dumps(smtp))
        yield run


@pytest.mark.fault(46)
def test_naming_clusters_limits_the_mail_and_nothing_else_and_who_has_a_letter_gets_no_second_one(run):
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
    seen = run()
    steps = ("coverage", "compact", "facts", "judge", "letters", "publish", "tidy")
    assert {seen.tasks[(step, None)] for step in steps} == {"success"}
    assert {seen.tasks[("render", name)] for name in CLUSTERS} == {"success"}
    assert seen.letters == "g0001"
    assert seen.tasks[("mail", "archive-eu")] == "success", "what is put off goes out with the retry"
    assert seen.tasks[("mail", "payments-eu")] == "failed"
    assert seen.tries == {"archive-eu": 2, "payments-eu": 1}, "who is not known is not asked for again"
    assert sorted(seen.mailed) == [ARCHIVE, PAYMENTS]
    assert GONE in seen.log
    assert "no such user" in seen.log
    assert seen.state == "failed", "red, so that somebody mends the address"
