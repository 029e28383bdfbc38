"""The wheel and its dependencies in an empty environment: Airflow finds all of it, and a day is judged there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.homes.stored_days import entries, store_day
from support.servers.mail_server import Mailbox, mail_server
from support.wheel.constraints import write_constraints
from support.wheel.installed import ROOT, Installed

pytestmark = [pytest.mark.sampled("wheel"), pytest.mark.timeout(3600)]
DAY = "2026-11-09"
CLUSTERS = ("follower331", "follower332")  # the first has KAFKA-14334, the second its fix
DAGS = {"fleet_collect", "fleet_health", "fleet_replay"}


class Airflow:
    """An AIRFLOW_HOME of its own with the one file of docs/install.md in its dags folder, and a day in its home."""

    def __init__(self, program: Installed, smtp_port: int) -> None:
        self.program, self.folder = program, program.folder / "airflow"
        self.home = program.folder / "home"
        (self.folder / "dags").mkdir(parents=True)
        page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
        (block,) = re.findall(r"```python\n(from kafka_fleet.airflow .*?)```", page, re.DOTALL)
        (self.folder / "dags" / "fleet.py").write_text(block)
        fleet = program.folder / "fleet.yaml"
        fleet.write_text(yaml.safe_dump({"version": 1, "clusters": entries(*CLUSTERS)}))
        store_day(self.home, DAY, *CLUSTERS)
        smtp = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        mail = {"conn_type": "smtp", "host": "127.0.0.1", "port": smtp_port, "extra": smtp}
        self.variables = {
            "AIRFLOW_HOME": str(self.folder),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[2]"}),
            "AIRFLOW_CONN_SMTP_DEFAULT": json.dumps(mail),
            "KAFKA_FLEET_FILE": str(fleet),
            "KAFKA_FLEET_HOME": str(self.home),
            "KAFKA_FLEET_DEADLINE_HOURS": "0",  # `airflow dags test` cannot end a run well that has a deadline
            "SPARK_LOCAL_IP": "127.0.0.1",
        }

    def __call__(self, *words: str) -> str:
        """Output of an airflow command."""
        return self.program.output("airflow", *words, **self.variables)

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """Its output as JSON, of which Airflow may print log lines before."""
        text = self(*words, "--output", "json")
        found: list[dict[str, Any]] = json.loads(text[text.index("[{") :])
        return found


@pytest.fixture(scope="module")
def empty(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    made = Installed(tmp_path_factory.mktemp("empty"))
    made.pip("install", "--constraint", str(write_constraints(made.folder / "constraints.txt")), str(wheel))
    return made


@pytest.fixture(scope="module")
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture(scope="module")
def airflow(empty: Installed, mailbox: Mailbox):
    with mail_server(mailbox) as port:
        made = Airflow(empty, port)
        made("db", "migrate")
        yield made


def test_its_dependencies_agree_and_are_those_of_the_constraints(empty):
    listed = json.loads(empty.pip("list", "--format", "json"))
    versions = {canonicalize_name(one["name"]): one["version"] for one in listed}
    wanted = map(Requirement, (empty.folder / "constraints.txt").read_text().splitlines())
    here = [one for one in wanted if one.marker is None or one.marker.evaluate()]
    pinned = {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in here}
    assert {"apache-airflow", "pyspark", "kafka-fleet-health"} <= set(versions)
    differing = {name: found for name, found in versions.items() if pinned.get(name, found) != found}
    assert differing == {}
    assert versions["pyspark-client"] == versions["pyspark"], "they unpack into one folder"
    assert "No broken requirements found." in empty.pip("check")


def test_the_one_import_has_the_dags(airflow):
    airflow("dags", "reserialize")
    assert {row["dag_id"] for row in airflow.rows("dags", "list")} == DAGS
    assert "No data found" in airflow("dags", "list-import-errors")


def test_airflow_knows_plugins_provider_connection_types_and_notifier(airflow):
    plugins = {row["name"]: row["source"] for row in airflow.rows("plugins")}
    assert {name for name, source in plugins.items() if "kafka-fleet-health" in source} == {
        "fleet_health", "fleet_timetable",
    }  # fmt: skip
    providers = {row["package_name"]: row["version"] for row in airflow.rows("providers", "list")}
    assert providers["kafka-fleet-health"] == "0.1.0"
    hooks = {row["connection_type"]: row["package_name"] for row in airflow.rows("providers", "hooks")}
    ours = {kind for kind, package in hooks.items() if package == "kafka-fleet-health"}
    assert ours == {"kafka_fleet_http", "kafka_fleet_kafka"}
    fields = {row["connection_parameter_name"] for row in airflow.rows("providers", "widgets")}
    assert {"extra__kafka_fleet_kafka__security.protocol", "extra__kafka_fleet_http__ca_file"} <= fields
    links = {row["extra_link_class_name"] for row in airflow.rows("providers", "links")}
    notifiers = airflow("providers", "notifications", "--output", "json")
    assert "fleet_airflow.page_link.FleetPageLink" in links
    assert "fleet_airflow.notifier.PlatformOwnersNotifier" in notifiers


def test_a_connection_of_our_type_gives_what_the_collector_takes(airflow, empty):
    extra = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "ssl.ca.location": None}
    words = ["--conn-type", "kafka_fleet_kafka", "--conn-login", "fleet", "--conn-password", "canary-71c0"]
    airflow("connections", "add", "kafka_payments", *words, "--conn-extra", json.dumps(extra))
    (kept,) = airflow.rows("connections", "get", "kafka_payments")
    assert (kept["conn_type"], kept["extra_dejson"]) == ("kafka_fleet_kafka", extra)
    code = "from fleet_airflow.hooks import FleetKafkaHook; print(sorted(FleetKafkaHook('kafka_payments').get_conn()))"
    given = {name: kept[name] for name in ("conn_type", "login", "password")} | {"extra": extra}
    held = airflow.variables | {"AIRFLOW_CONN_KAFKA_PAYMENTS": json.dumps(given)}  # no task, so no database
    printed = empty.output("python", "-c", code, **held).splitlines()[-1]
    assert printed == "['sasl_mechanism', 'sasl_plain_password', 'sasl_plain_username', 'security_protocol']"


def test_a_day_is_judged_and_its_letters_go_out_without_any_checkout(airflow, mailbox):
    conf = json.dumps({"notify": "always"})
    printed = airflow("dags", "test", "fleet_health", DAY, "--conf", conf)
    findings = json.loads(next((airflow.home / f"findings/ds={DAY}").glob("g*/findings.json")).read_text())
    verdicts = {row["cluster"]: row["verdict"] for row in findings if row["advisory"] == "KAFKA-14334"}
    assert verdicts == {"follower331": "confirmed", "follower332": "not_affected"}
    assert {path.stem for path in (airflow.home / f"reports/ds={DAY}").glob("*.html")} == {*CLUSTERS, "index"}
    subjects = [message["Subject"] for _to, message in mailbox.received]
    assert len(subjects) == 2
    assert any("(KAFKA-14334)" in " ".join(one.split()) for one in subjects)
    assert str(ROOT) not in printed


def shown(folder: Path) -> dict[Path, bytes]:
    """Every page, mail and report that a reader is led to."""
    places = ("reports/*/*.html", "try/mails/*.html", "try/page/**/*.html")
    return {path: path.read_bytes() for place in places for path in folder.glob(place)}


def test_it_tries_its_recorded_day_again_and_shows_the_same(empty):
    folder = empty.folder / "tried"
    words = ("kafka-fleet", "try", "--home", str(folder), "--no-open")
    printed, first = empty.output(*words), shown(folder)
    assert len(first) > 100
    assert (empty.output(*words), shown(folder)) == (printed, first)
