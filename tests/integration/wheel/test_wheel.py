"""What the wheel holds: all that the code opens and nothing else; its metadata; that it is used once installed."""

import json
import re
import tomllib
from importlib.metadata import PathDistribution
from pathlib import Path
from zipfile import Path as ZipPath
from zipfile import ZipFile

import pytest
from packaging.metadata import Metadata

from support.wheel.installed import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PLACES = {  # in the checkout, in the wheel
    "plugins/kafka_fleet": "kafka_fleet",
    "plugins/fleet_airflow": "fleet_airflow",
    "spark/fleet_spark": "fleet_spark",
    "sql": "kafka_fleet/_sql",
    "templates": "kafka_fleet/_templates",
    "tests/data/sweeps": "kafka_fleet/_sweeps",
    "spark/submit.py": "kafka_fleet/_spark_submit.py",
}
MOST_BYTES = 2_000_000
USED = """
import json, sys
from pathlib import Path
from importlib.metadata import distribution
import fleet_airflow.dags, fleet_spark, kafka_fleet
from kafka_fleet.base import resources
from kafka_fleet.base.spark_bundle import write_bundle
from zipfile import ZipFile
bundle = write_bundle(Path(sys.argv[1]))
folders = [resources.sql_dir(), resources.templates_dir(), resources.sweeps_dir(), resources.spark_application()]
modules = [Path(one.__file__) for one in (kafka_fleet, fleet_airflow.dags, fleet_spark)]
entries = {one.group + " " + one.name: callable(one.load()) for one in distribution("kafka-fleet-health").entry_points}
print(json.dumps({"paths": list(map(str, folders + modules)), "bundle": sorted(ZipFile(bundle).namelist()),
    "entries": entries, "path": sys.path}))
"""


@pytest.fixture(scope="module")
def names(wheel):
    with ZipFile(wheel) as content:
        assert content.testzip() is None
        return set(content.namelist())


def test_it_holds_what_the_checkout_has_and_nothing_else(wheel, names):
    expected = {}
    for here, there in PLACES.items():
        source = ROOT / here
        files = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
        for path in files:
            if "__pycache__" not in path.parts:
                relative = path.relative_to(source).as_posix()
                expected[there if relative == "." else f"{there}/{relative}"] = path
    kept = {name for name in names if not name.startswith("kafka_fleet_health-")}
    assert kept == set(expected)
    with ZipFile(wheel) as content:
        assert all(content.read(name) == path.read_bytes() for name, path in expected.items())
    print(f"{wheel.name}: {wheel.stat().st_size / 1000:.0f} kB, {len(kept)} files")
    assert wheel.stat().st_size < MOST_BYTES


def test_its_metadata_are_valid_and_say_what_the_project_says(wheel, names):
    (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    with ZipFile(wheel) as content:
        metadata = Metadata.from_email(content.read(f"{info}/METADATA"), validate=True)
        dist = PathDistribution(ZipPath(content, f"{info}/"))
        entries = {(one.group, one.name): one.value for one in dist.entry_points}
    assert (metadata.name, str(metadata.version)) == (PROJECT["name"], PROJECT["version"])
    assert (metadata.license_expression, metadata.license_files) == ("Apache-2.0", ["LICENSE"])
    assert f"{info}/licenses/LICENSE" in names
    assert metadata.description == (ROOT / "README.md").read_text()
    assert metadata.description_content_type == "text/markdown"
    assert len(metadata.requires_dist or []) > len(PROJECT["dependencies"])
    groups = {"console_scripts": PROJECT["scripts"], **PROJECT["entry-points"]}
    assert entries == {(group, name): value for group, found in groups.items() for name, value in found.items()}
    assert set(groups) == {"console_scripts", "airflow.plugins", "apache_airflow_provider"}


def test_installed_it_finds_its_own_files_and_nothing_of_a_checkout(installed, tmp_path):
    seen = json.loads(installed.output("python", "-c", USED, str(tmp_path)).splitlines()[-1])
    assert all(Path(one).is_relative_to(installed.venv) for one in seen["paths"]), seen["paths"]
    assert all(Path(one).exists() for one in seen["paths"])
    assert not [one for one in seen["path"] if Path(one or ".").resolve().is_relative_to(ROOT / "plugins")]
    assert set(seen["entries"].values()) == {True}
    assert len(seen["entries"]) == 4
    shipped = seen["bundle"]
    assert {"kafka_fleet/_sql/marts", "fleet_spark/session.py"} <= {
        *shipped, *(re.sub("/[^/]*$", "", one) for one in shipped)
    }  # fmt: skip
    assert not [one for one in shipped if re.search(r"/(_sweeps|_templates|__pycache__)/", one)]


def test_installed_its_catalogues_are_whole_and_its_rules_are_printed(installed):
    assert re.fullmatch(r"catalogues: .*, 0 errors\n", installed.output("kafka-fleet", "check", "--catalogues"))
    assert installed.output("kafka-fleet", "exporter-rules") == (ROOT / "docs/exporter-rules.yml").read_text()
