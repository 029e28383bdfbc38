"""Runs `discover` on the recorded inputs, or a text; beside a fleet file as well."""

from pathlib import Path

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.config.fleet import load_fleet

DATA = Path(__file__).resolve().parents[2] / "data/discover"
CANARIES = ("canary", "BEGIN CERTIFICATE", "ANSIBLE_VAULT", "6638643965")


@pytest.fixture
def found(tmp_path, capsys):
    """Runs `discover` on a file of the test data, or a text; gives what it printed, and its clusters by id."""

    def run(source, given, *options):
        path = DATA / given if "\n" not in given else tmp_path / "given.txt"
        if "\n" in given:
            path.write_text(given)
        assert cli.main(["discover", source, str(path), *options]) == 0
        said = capsys.readouterr()
        assert not any(canary in said.out + said.err for canary in CANARIES)
        printed = tmp_path / "printed.yaml"
        printed.write_text(said.out)
        if "\n  - id: " not in said.out:
            return said, {}
        fleet = load_fleet(printed)
        assert fleet.errors == []
        assert cli.main(["check", "--fleet", str(printed)]) == 0
        capsys.readouterr()
        return said, {one.id: one for one in fleet.clusters}

    return run


@pytest.fixture
def call(tmp_path, capsys):
    """Runs `discover` on a text with fleet.yaml; gives the exit code, what was printed, and what the file says then."""
    fleet = tmp_path / "fleet.yaml"

    def run(text, *options, source="hosts", fleet=fleet):
        given = tmp_path / "given"
        given.write_text(text)
        code = cli.main(["discover", source, str(given), "--fleet", str(fleet), *options])
        said = capsys.readouterr()
        return code, said.out + said.err, fleet.read_text() if fleet.exists() else None

    return run


@pytest.fixture
def refused(tmp_path, capsys, monkeypatch):
    """Runs `discover` on a text in file.yml; gives the one sentence that it says, without the folder."""

    def run(source, text, *options):
        monkeypatch.chdir(tmp_path)
        given = tmp_path / "file.yml"
        given.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert cli.main(["discover", source, "file.yml", *options]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert len(said.err.splitlines()) == 1
        return said.err.removeprefix("kafka-fleet: ").strip()

    return run
