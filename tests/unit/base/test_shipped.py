"""The zip that a Spark job is given: equal bytes for equal code, and enough of it to judge by."""

import json
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from fleet_demo.s3a import EXCLUDES, PACKAGES
from kafka_fleet.base.spark_bundle import write_bundle
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import fleet_spark.judge, kafka_fleet
from fleet_demo.s3a import EXCLUDES, PACKAGES
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.base.resources import sql_dir
from fleet_spark.facts import fact_queries
print(json.dumps([kafka_fleet.__file__, fleet_spark.judge.__file__, str(sql_dir()), sorted(load_advisories()),
                  sorted(load_signatures()), len(fact_queries(sql_dir()))]))
"""


def test_the_same_code_is_the_same_zip(tmp_path):
    first, second = (write_bundle(tmp_path / name) for name in ("a", "b") if (tmp_path / name).mkdir() is None)
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()


def test_unpacked_it_is_enough_for_the_jobs(tmp_path):
    folder = tmp_path / "unpacked"
    with ZipFile(write_bundle(tmp_path)) as bundle:
        assert not [name for name in bundle.namelist() if "__pycache__" in name]
        bundle.extractall(folder)
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(folder)], capture_output=True, text=True, check=True)
    *places, advisories, signatures, queries = json.loads(done.stdout)
    assert all(place.startswith(str(folder)) for place in places)
    assert advisories == sorted(load_advisories())
    assert signatures == sorted(load_signatures())
    assert queries > 10


def test_the_documentation_names_the_jars_that_are_tested():
    text = (Path(__file__).resolve().parents[3] / "docs/running.md").read_text()
    assert f"spark.jars.packages  {','.join(PACKAGES)}\n" in text
    assert f"spark.jars.excludes  {','.join(EXCLUDES)}\n" in text
