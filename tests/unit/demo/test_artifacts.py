"""The jars of a release: what is asked for, that they are fetched once, and that half a download is never used.

The resolver is replaced by a small program that writes files where Ivy would, so that these tests need no network.
"""

import os
import stat
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from fleet_demo import artifacts
from fleet_demo.artifacts import MARKER, ArtifactError, ivy_module, kafka_jars, release_tuple
from kafka_fleet import settings

RESOLVER = """#!/bin/sh
echo run >> "$RESOLVER_RUNS"
sleep 0.3
for word in "$@"; do case "$word" in *'[artifact]'*) out=${word%/*} ;; esac; done
if [ -n "$RESOLVER_FAILS" ]; then
  echo ':: kafka-tools;9.9.9: not found'
  exit 1
fi
mkdir -p "$out"
for jar in kafka-clients-3.3.1 kafka-tools-3.3.1 jolokia-agent-jvm-2.2.9-javaagent; do echo $jar > "$out/$jar.jar"; done
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stand-in resolver in place of Java; the file returned gets one line per run."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(RESOLVER)
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("RESOLVER_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def dependencies(release: str) -> set[tuple[str | None, str | None]]:
    module = ElementTree.fromstring(ivy_module(release))  # noqa: S314 - our own text
    return {(dependency.get("name"), dependency.get("rev")) for dependency in module.iter("dependency")}


@pytest.mark.parametrize(
    ("release", "broker", "logging"),
    [
        ("1.1.1", "kafka_2.12", "slf4j-reload4j"),
        ("2.3.1", "kafka_2.12", "slf4j-reload4j"),
        ("2.4.0", "kafka_2.13", "slf4j-reload4j"),
        ("0.11.0.0", "kafka_2.12", "slf4j-reload4j"),
        ("3.9.1", "kafka_2.13", "slf4j-reload4j"),
        ("4.0.0", "kafka_2.13", "log4j-slf4j-impl"),
    ],
)
def test_each_line_gets_its_scala_build_and_its_logging(release: str, broker: str, logging: str) -> None:
    wanted = dependencies(release)
    assert {(broker, release), ("kafka-tools", release), ("jolokia-agent-jvm", "2.2.9")} <= wanted
    assert [name for name, _ in wanted if name in ("slf4j-reload4j", "log4j-slf4j-impl")] == [logging]


@pytest.mark.parametrize("text", ["", "3.3", "3.3.1-rc0", "../../etc", "3.3.1/..", "3.3.1\n", '3.3.1"/>', "latest"])
def test_anything_but_a_release_is_refused_before_a_path_is_made_of_it(text: str, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="three numbers"):
        kafka_jars(text, tmp_path / "root")
    assert not (tmp_path / "root").exists()


def test_releases_compare_as_numbers() -> None:
    assert release_tuple("3.10.0") > release_tuple("3.9.1") > release_tuple("3.3.2")
    assert release_tuple("1.0.0") > release_tuple("0.11.0.1") > release_tuple("0.11.0.0")


def test_a_release_is_fetched_once(runs: Path, tmp_path: Path) -> None:
    first = kafka_jars("3.3.1", tmp_path / "root")
    second = kafka_jars("3.3.1", tmp_path / "root")
    assert first == second == tmp_path / "root" / "3.3.1"
    assert artifacts.jolokia_agent(first).is_file()
    assert runs.read_text().splitlines() == ["run"]


@pytest.mark.parametrize("damage", ["no marker", "jar gone", "jar cut short"])
def test_half_a_download_is_fetched_again(damage: str, runs: Path, tmp_path: Path) -> None:
    folder = kafka_jars("3.3.1", tmp_path / "root")
    jar = folder / "kafka-tools-3.3.1.jar"
    whole = jar.read_bytes()
    if damage == "no marker":
        (folder / MARKER).unlink()
    elif damage == "jar gone":
        jar.unlink()
    else:
        jar.write_bytes(whole[:4])
    assert kafka_jars("3.3.1", tmp_path / "root") == folder
    assert jar.read_bytes() == whole
    assert len(runs.read_text().splitlines()) == 2


def test_a_failed_fetch_is_one_sentence_and_leaves_nothing(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESOLVER_FAILS", "yes")
    with pytest.raises(ArtifactError) as refusal:
        kafka_jars("9.9.9", tmp_path / "root")
    assert str(refusal.value) == "Apache Kafka 9.9.9 could not be fetched: kafka-tools;9.9.9: not found"
    assert sorted(path.name for path in (tmp_path / "root").iterdir()) == ["lock"]
    assert len(runs.read_text().splitlines()) == 1


def test_two_processes_fetch_a_release_once(runs: Path, tmp_path: Path) -> None:
    program = "from fleet_demo.artifacts import kafka_jars; kafka_jars('3.3.1')"
    package_root = os.pathsep.join(str(Path(one.__file__).parents[1]) for one in (artifacts, settings))
    environment = {**os.environ, "PYTHONPATH": package_root, "KAFKA_FLEET_ARTIFACTS": str(tmp_path / "root")}
    both = [subprocess.Popen([sys.executable, "-c", program], env=environment) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert runs.read_text().splitlines() == ["run"]
