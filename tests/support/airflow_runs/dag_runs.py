"""Runs of fleet_health with all but Spark: takes a DAG's bag, gives what came of a run, and who has got mail by it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from airflow.models.dagrun import get_or_create_dagrun
from airflow.utils.types import DagRunType

from kafka_fleet.store.fleet_snapshot import kept_fleet
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.raw.manifests import manifests
from support.builders import computed_days
from support.builders.letter_rows import DS
from support.builders.published_days import exposed
from support.homes.recorded import Sweep, changed, land_all, recorded_day
from support.servers.mail_server import Mailbox, mail_server

CLUSTERS = computed_days.CLUSTERS
ARCHIVE, GONE, PAYMENTS, PLATFORM = (f"{name}@example.org" for name in ("archive", "gone", "payments", "platform"))
Task = tuple[str, str | None]


class Seen(NamedTuple):
    """A run: its state, its tasks' by (task, label), how often each mail task was begun, who has got a mail so far.

    And what was logged, and the generation of the published letters.
    """

    state: str
    tasks: dict[Task, str]
    tries: dict[Task, int]
    mailed: list[str]
    log: str
    letters: str | None


def spark_left_out(task: Any, context: Any) -> None:
    """What spark-submit leaves of a day, written by the code of the jobs from rows that are computed already."""
    job, home, generation = (task.application_args[place] for place in (0, 2, 6))
    assert job == "analyze"
    assert task.application_args[1:6:2] == ["--home", "--ds", "--generation"]
    assert "--clusters" not in task.application_args, "the whole day is judged, whoever is to be told"
    folder, ds = Path(home), task.application_args[4]
    computed_days.facts(folder, generation, 2, ds)
    fleet = kept_fleet(folder, ds, generation)
    assert fleet is not None, "each run keeps the fleet as it found it"
    stored = {one.cluster for one in manifests(folder, ds)[0]}
    computed_days.judge(folder, generation, exposed(), ds, sorted({*stored, *(one.id for one in fleet.clusters)}))


def to_the_day(sweeps: list[Sweep], ds: str = DS) -> None:
    for one in sweeps:
        one.move(date.fromisoformat(ds) - date.fromisoformat(recorded_day()))


def entry(name: str, owners: list[str]) -> dict[str, Any]:
    jolokia = {"brokers": {1: "http://127.0.0.1:9/jolokia"}}
    kafka = {"bootstrap_servers": ["127.0.0.1:9"], "jolokia": jolokia}
    return {"id": name, "environment": "development", "owners": owners, **kafka}


def write_fleet(home: Path) -> Path:
    """The fleet file of two clusters, of which one has two owners."""
    owners = dict(zip(CLUSTERS, ([ARCHIVE], [GONE, PAYMENTS]), strict=True))
    path = home.parent / "fleet.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "clusters": [entry(name, owners[name]) for name in CLUSTERS]}))
    return path


@contextmanager
def smtp_default(box: Mailbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The connection smtp_default, to a mail server that answers as the mailbox says."""
    with mail_server(box) as port:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        smtp = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": extra}
        monkeypatch.setenv("AIRFLOW_CONN_SMTP_DEFAULT", json.dumps(smtp))
        yield


class Runs:
    """Runs days of these two clusters."""

    spark = staticmethod(spark_left_out)

    def __init__(
        self, dag: Any, home: Path, box: Mailbox, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.dag, self.home, self.box, self.caplog, self.monkeypatch = dag, home, box, caplog, monkeypatch
        self.fleet_file = write_fleet(home)

    def land(self, ds: str = DS, *clusters: str) -> None:
        for name in clusters or CLUSTERS:
            land_all(self.home, changed("follower331", name, partial(to_the_day, ds=ds)))

    def __call__(self, **conf: Any) -> Seen:
        """One run by hand; every parameter is named: DAG.test keeps what an earlier run was given."""
        return self._run({"ds": DS, "notify": "always", "clusters": None} | conf)

    def scheduled(self, ds: str = DS, now: str | None = None) -> Seen:
        """A run as the scheduler makes it. now: the moment, five minutes after the day's end unless it is given."""
        moment = datetime.fromisoformat(now or f"{ds}T00:05:00+00:00") + (timedelta(0) if now else timedelta(days=1))

        class Clock(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Any:
                return moment

        def made(**options: Any) -> Any:
            run = get_or_create_dagrun(**options)
            run.run_type = DagRunType.SCHEDULED
            options["session"].commit()
            return run

        with self.monkeypatch.context() as patch:
            patch.setattr("airflow.models.dagrun.get_or_create_dagrun", made)
            for module in ("run_plan", "last_sweep"):
                patch.setattr(f"fleet_airflow.{module}.datetime", Clock)
            day = datetime.fromisoformat(ds).replace(tzinfo=UTC)
            return self._run({"ds": None, "notify": "auto", "clusters": None}, logical_date=day)

    def _run(self, conf: dict[str, Any], **options: Any) -> Seen:
        self.caplog.clear()
        with self.caplog.at_level("INFO"):
            done = self.dag.test(run_conf=conf, **options)
        ds = conf["ds"] or options["logical_date"].date().isoformat()
        tasks = done.get_task_instances()
        return Seen(
            str(done.state),
            {(one.task_id, one.rendered_map_index): str(one.state) for one in tasks},
            {(one.task_id, one.rendered_map_index): one.try_number for one in tasks},
            list(self.box.recipients),
            self.caplog.text,
            current_generation(self.home / f"reports/ds={ds}"),
        )


def without_waiting(dag: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark left out, and retries a second apart."""
    monkeypatch.setattr(dag, "deadline", None)  # DAG.test cannot end a run well that has one: it takes it for its id
    monkeypatch.setattr("fleet_airflow.spark_submit.FleetSparkSubmit.execute", spark_left_out)
    for task in dag.tasks:
        if task.is_mapped:
            monkeypatch.setitem(task.partial_kwargs, "retry_delay", timedelta(seconds=1))
        else:
            monkeypatch.setattr(task, "retry_delay", timedelta(seconds=1))
