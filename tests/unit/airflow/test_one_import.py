"""The DAGs by one import from `kafka_fleet.airflow`, as a file in anybody's dags folder has it."""

import json
import re
from pathlib import Path

import pytest

import kafka_fleet.airflow
from fleet_airflow.hooks import FleetHttpHook, FleetKafkaHook
from fleet_airflow.provider_info import get_provider_info
from kafka_fleet.config import credentials
from kafka_fleet.config.credentials import Connection, CredentialsError

ROOT = Path(__file__).resolve().parents[3]
DAGS = {"fleet_collect", "fleet_health", "fleet_replay"}
BAG = """
import json, os, sys
from airflow.dag_processing.dagbag import DagBag
heavy = {"pyspark", "pyarrow", "kafka", "css_inline", "kafka_fleet.report", "kafka_fleet.collect"}
for folder in sys.argv[1:]:
    if os.fork() == 0:  # a process for each, of which Airflow is imported once
        if folder.endswith("broken"):
            sys.modules["fleet_airflow.mailing"] = None  # importing it fails from now on
        bag = DagBag(folder)
        print(json.dumps({
            "folder": folder,
            "dags": {dag.dag_id: dag.fileloc for dag in bag.dags.values()},
            "errors": {file.rpartition("/")[2]: text for file, text in bag.import_errors.items()},
            "modules": sorted(name for name in sys.modules if name.startswith("fleet_airflow.dags.")),
            "heavy": sorted(heavy & set(sys.modules)),
        }), flush=True)
        os._exit(0)
    os.wait()
"""


def documented():
    """The file as docs/install.md has it."""
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    (block,) = [one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "kafka_fleet.airflow" in one]
    return block


def own_file(name):
    """A file for one DAG."""
    return {name: f"from kafka_fleet.airflow import {name}  # DAG\n"}


@pytest.fixture(scope="module")
def loaded(python, tmp_path_factory):
    """What Airflow finds in each of these dags folders, by their names."""
    folders = {
        "documented": {"ours": documented()},
        "without the word": {"ours": "from kafka_fleet.airflow import fleet_collect, fleet_health\n"},
        "whole": own_file("fleet_collect") | own_file("fleet_health"),
        "broken": own_file("fleet_collect") | own_file("fleet_health"),
        "one": own_file("fleet_collect"),
    }
    base = tmp_path_factory.mktemp("dags")
    for folder, files in folders.items():
        (base / folder).mkdir()
        for name, text in files.items():
            (base / folder / f"{name}.py").write_text(text)
    done = python("-c", BAG, *(str(base / folder) for folder in folders))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"folder"')]
    assert len(answers) == len(folders), done.stderr
    return {Path(one["folder"]).name: one for one in answers}


def test_the_documented_file_has_the_dags_and_imports_nothing_heavy(loaded):
    found = loaded["documented"]
    assert found["errors"] == {}
    assert found["dags"] == dict.fromkeys(DAGS, f"{found['folder']}/ours.py")
    assert found["heavy"] == []


def test_without_the_word_dag_airflow_does_not_even_read_the_file(loaded):
    assert loaded["without the word"]["dags"] == {}, "the documentation may leave the comment out now"


def test_a_dag_that_cannot_be_made_costs_another_file_nothing(loaded):
    whole, broken = loaded["whole"], loaded["broken"]
    assert (set(whole["dags"]), whole["errors"]) == ({"fleet_collect", "fleet_health"}, {})
    assert set(broken["dags"]) == {"fleet_collect"}
    assert list(broken["errors"]) == ["fleet_health.py"]


def test_only_the_dag_that_is_asked_for_is_made(loaded):
    found = loaded["one"]
    assert (set(found["dags"]), found["modules"]) == ({"fleet_collect"}, ["fleet_airflow.dags.fleet_collect"])


def test_the_files_of_a_checkout_use_the_same_import():
    files = {path.stem: path.read_text() for path in (ROOT / "dags").glob("*.py")}
    assert set(files) == DAGS == set(kafka_fleet.airflow.__all__)
    for name, text in files.items():
        assert f"\nfrom kafka_fleet.airflow import {name}\n" in text
    with pytest.raises(AttributeError, match="has no attribute 'fleet_mail'"):
        kafka_fleet.airflow.fleet_mail  # noqa: B018


@pytest.mark.sampled("plugins-at-entry-points")
def test_plugins_come_by_entry_points_once_also_where_the_checkouts_folder_is_set(python, monkeypatch):
    code = (
        "import json, sys, airflow.plugins_manager as manager; plugins, errors = manager._get_plugins();"
        "ours = sorted((one.name, type(one.source).__name__) for one in plugins if one.name.startswith('fleet_'));"
        "print(json.dumps([ours, errors, sorted({'page', 'timetable', 'outbox', 'mail'} & set(sys.modules))]))"
    )
    by_entry_point = [["fleet_health", "EntryPointSource"], ["fleet_timetable", "EntryPointSource"]]
    for folder in ("", str(ROOT / "plugins")):
        monkeypatch.setenv("AIRFLOW__CORE__PLUGINS_FOLDER", folder or str(ROOT / "docs"))
        done = python("-c", code)
        assert json.loads(done.stdout.splitlines()[-1]) == [by_entry_point, {}, []], done.stderr


def test_the_fields_of_the_forms_are_those_that_are_read():
    kafka, http = get_provider_info()["connection-types"]
    by_form = {"sasl.username", "sasl.password", "sasl.mechanisms"}  # login and password; another name of the mechanism
    assert set(kafka["conn-fields"]) == set(credentials._KAFKA_SETTINGS) - by_form
    for name, field in kafka["conn-fields"].items():
        allowed = [one for one in field["schema"].get("enum", ()) if one is not None]
        assert allowed == [one for one in credentials._VALUES.get(name, ()) if one]
    assert set(http["conn-fields"]) == set(credentials.Credentials._fields) - {"user", "password"}


def test_a_form_that_was_left_empty_is_no_setting_and_what_it_holds_is(monkeypatch):
    fields = dict.fromkeys(get_provider_info()["connection-types"][0]["conn-fields"])
    held = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "ssl.endpoint.identification.algorithm": "none"}
    found = {"empty": Connection(None, None, fields), "held": Connection("fleet", "pw", fields | held)}
    monkeypatch.setattr("fleet_airflow.hooks.airflow_credentials", found.__getitem__)
    assert FleetKafkaHook("empty").get_conn() == {}
    assert FleetKafkaHook("held").get_conn() == {
        "security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN", "ssl_check_hostname": False,
        "sasl_plain_username": "fleet", "sasl_plain_password": "pw",
    }  # fmt: skip
    assert FleetHttpHook("held").get_conn()[:2] == ("fleet", "pw")
    found["wrong"] = Connection(None, None, {"security.protocoll": None})
    with pytest.raises(CredentialsError, match=r"connection wrong: security\.protocoll: allowed: security\.protocol"):
        FleetKafkaHook("wrong").get_conn()
