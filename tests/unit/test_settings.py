"""Variables KAFKA_FLEET_*: values, the sentence on one that is wrong, and that no other module reads one."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kafka_fleet.base.errors import UsageError
from kafka_fleet.settings import PREFIX, Settings, described, read_settings, variable

ROOT = Path(__file__).resolve().parents[2]


def value(field, text):
    return getattr(read_settings(field, environ={variable(field): text}), field)


def test_without_any_variable_all_are_at_their_defaults():
    found = read_settings(*Settings.model_fields, environ={})
    assert (found.home, found.file, found.heartbeat_days) == ("/var/lib/kafka-fleet", None, 7)
    assert (found.deadline_hours, found.missed_days, found.keep_raw_days) == (6.0, 14, None)
    assert (found.mapped_tasks, found.retry_seconds, found.spark_wait_seconds) == (100, 120, 600.0)
    assert (found.digests, found.platform_owners, found.secrets, found.smtp) == ((), (), None, None)


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("home", "s3a://bucket/prefix", "s3a://bucket/prefix"),
        ("file", "", None),
        ("secrets", "/a", "/a"),
        ("digests", " a@example.org ,, b@example.org,a@example.org ", ("a@example.org", "b@example.org")),
        ("heartbeat_days", "0", 0),
        ("deadline_hours", "0.25", 0.25),
        ("keep_raw_days", "", None),
        ("keep_raw_days", "2", 2),
        ("spark_wait_seconds", "1.5", 1.5),
    ],
)
def test_a_value_is_taken(field, text, expected):
    assert value(field, text) == expected


@pytest.mark.parametrize(
    ("field", "texts", "sentence"),
    [
        ("home", [""], "a folder or s3a://bucket/prefix"),
        ("heartbeat_days", ["", "weekly", "-1", "1.5", "7.0", "1234", "+7", " 7", "7_0"], "it is a number of days, 0"),
        ("deadline_hours", ["", "6h", "nan", "inf", "1000", "1e1"], "it is a number of hours, 0 for none"),
        ("missed_days", ["", "many", "1000"], "a number of days, 0 for none"),
        ("keep_raw_days", ["1", "0", "never"], "a number of days, 2 at least"),
        ("mapped_tasks", ["", "0", "few"], "a number of tasks, 1 at least"),
        ("retry_seconds", ["", "-1", "soon"], "a number of seconds"),
        ("spark_wait_seconds", ["", "0", "nan"], "it must be a number of seconds above 0"),
    ],
)
def test_a_value_that_cannot_be_is_one_sentence(field, texts, sentence):
    for text in texts:
        with pytest.raises(UsageError) as refusal:
            value(field, text)
        assert str(refusal.value).startswith(f"{variable(field)} is {text!r}: {sentence}")
        assert len(str(refusal.value).splitlines()) == 1


def test_a_long_value_is_cut():
    with pytest.raises(UsageError, match=r"is '9{20}': "):
        value("missed_days", "9" * 1000)


def test_a_secret_is_in_no_sentence_and_no_repr():
    assert "canary" not in repr(read_settings("smtp", environ={variable("smtp"): "canary"}))
    with pytest.raises(UsageError, match="KAFKA_FLEET_SMTP is not what it should be: a JSON object") as refusal:
        read_settings("smtp", environ={variable("smtp"): b"canary\xff"})
    assert "canary" not in str(refusal.value)


def test_only_what_was_asked_for_is_read_and_can_be_used():
    found = read_settings("home", environ={variable("home"): "/h", variable("missed_days"): "many"})
    assert found.home == "/h"
    with pytest.raises(AttributeError):
        found.missed_days  # noqa: B018


def test_a_field_that_is_none_is_refused():
    with pytest.raises(KeyError):
        read_settings("no_such", environ={})


def test_every_variable_is_described():
    assert [one.variable for one in described()] == [variable(field) for field in Settings.model_fields]
    assert all(one.sentence.endswith(".") and one.expected and one.read_by for one in described())


def test_no_other_module_reads_a_variable_of_the_program():
    found = []
    for folder in ("plugins", "spark", "dags", "docs", "demo"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            # the demo sets variables of the Airflow that it starts
            if (path.name == "settings.py" and path.parent.name == "kafka_fleet") or path.name == "airflow_run.py":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found += [f"{path}:{node.lineno}"] if re.fullmatch(PREFIX + "[A-Z_]+", node.value) else []
    assert found == []


def test_every_variable_that_a_page_names_is_one():
    known = {one.variable for one in described()}
    pages = [ROOT / "README.md", ROOT / "docker-compose.yml", *sorted((ROOT / "docs").glob("*.md"))]
    named = {name for page in pages for name in re.findall(rf"(?<!CONN_){PREFIX}[A-Z_]+", page.read_text("utf-8"))}
    assert named
    assert named - known == set()


def test_settings_import_nothing_that_makes_parsing_dags_slow():
    heavy = ("pyarrow", "pyspark", "confluent_kafka", "jinja2", "kafka_fleet.store", "kafka_fleet.mail")
    program = f"import sys, kafka_fleet.settings; sys.exit(any(one in sys.modules for one in {heavy}))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
