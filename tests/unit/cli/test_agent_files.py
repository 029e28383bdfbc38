"""Files for brokers' hosts that who has only the package can have: the agent's policy, and the script for hosts."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kafka_fleet.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "plugins/kafka_fleet/collect/log_marks/kafka_log_marks"


def test_the_policy_is_the_documented_file(capsys) -> None:
    assert main(["agent-policy"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/jolokia-access.xml").read_text()


def test_who_may_ask_is_said(capsys) -> None:
    given = ["collector.example.org", "10.1.0.0/16", "192.0.2.7", "2001:db8::1"]
    assert main(["agent-policy", *(word for host in given for word in ("--host", host))]) == 0
    restrict = ElementTree.fromstring(capsys.readouterr().out)  # noqa: S314 - a file of ours
    assert [one.text for one in restrict.iterfind("remote/host")] == given
    assert [one.text for one in restrict.iterfind("http/method")] == ["post"]
    assert not list(restrict.iterfind("commands/*"))
    assert len(list(restrict.iterfind("allow/mbean"))) > 50


@pytest.mark.parametrize("host", ["<host>", "10.1.0.1/16", "300.1.1.1", "a b", "", "-x.org", "a" * 64])
def test_what_is_no_host_is_refused(host: str, capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(["agent-policy", f"--host={host}"])
    assert left.value.code == 2
    assert "--host" in capsys.readouterr().err


def test_the_script_for_hosts_runs_where_it_is_written(tmp_path: Path, capsys) -> None:
    (tmp_path / "kafka_log_marks").mkdir()
    (tmp_path / "kafka_log_marks/marks.py").write_text("raise SystemExit('of an earlier version')\n")
    assert main(["host-script", str(tmp_path)]) == 0
    assert str(tmp_path) in capsys.readouterr().out
    written = {one.name: one.read_bytes() for one in (tmp_path / "kafka_log_marks").iterdir()}
    assert written == {one.name: one.read_bytes() for one in SCRIPT.glob("*.py")}
    command = [sys.executable, "-I", "-c", "import sys; sys.path.insert(0, '.'); import runpy; "
               "sys.argv[1:] = ['--help']; runpy.run_module('kafka_log_marks', run_name='__main__')"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "--log" in done.stdout) == (0, True)
