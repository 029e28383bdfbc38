"""The systemd units of docs/systemd: what systemd itself says of them, and what their commands do."""

import shlex
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.cli.main import command_parser

UNITS = Path(__file__).resolve().parents[3] / "docs/systemd"
FLEET = ["--fleet", "/etc/kafka-fleet/fleet.yaml", "--home", "/var/lib/kafka-fleet"]
VERBS = ["analyze", "report", "mail", "notify", "tidy"]
RECORDER = """#!/bin/sh
printf '%s\\n' "$*" >> "$RECORD"
for one in $FAILING; do case "$one" in "$1="*) exit "${one#*=}" ;; esac; done
"""


def setting(unit: str, name: str) -> str:
    """A setting of a unit with its lines joined and systemd's own signs resolved."""
    text = (UNITS / unit).read_text().replace("\\\n", " ")
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name}=")]
    return line.removeprefix(f"{name}=").replace("$$", "$").replace("%%", "%")


@pytest.fixture
def recorder(tmp_path: Path) -> Path:
    """A program `kafka-fleet` that writes down what it is asked for."""
    program = tmp_path / "bin/kafka-fleet"
    program.parent.mkdir()
    program.write_text(RECORDER)
    program.chmod(0o755)
    return program


def day(recorder: Path, failing: str = "") -> tuple[int, list[list[str]]]:
    """Run the command of the day's unit; gives its exit code and what was asked for. failing: verb=code, …"""
    record = recorder.parent / "record"
    variables = dict(one.split("=", 1) for one in shlex.split(setting("kafka-fleet-day.service", "Environment")))
    variables |= {"PATH": f"{recorder.parent}:/usr/bin:/bin", "RECORD": str(record), "FAILING": failing}
    done = subprocess.run(shlex.split(setting("kafka-fleet-day.service", "ExecStart")), env=variables, check=False)
    return done.returncode, [line.split() for line in record.read_text().splitlines()]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here")
def test_systemd_takes_them(tmp_path, recorder):
    for unit in UNITS.iterdir():
        text = unit.read_text().replace("/opt/kafka-fleet/bin", str(recorder.parent))
        (tmp_path / unit.name).write_text(text)
    for unit in UNITS.iterdir():
        done = subprocess.run(
            ["systemd-analyze", "verify", str(tmp_path / unit.name)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), unit.name


def test_each_timer_has_its_service():
    names = {path.stem: {one.suffix for one in UNITS.glob(f"{path.stem}.*")} for path in UNITS.iterdir()}
    both = {".service", ".timer"}
    assert names == {"kafka-fleet-collect": both, "kafka-fleet-day": both}


def test_the_collection_asks_for_what_the_command_line_takes():
    program, *words = shlex.split(setting("kafka-fleet-collect.service", "ExecStart"))
    assert program == "/opt/kafka-fleet/bin/kafka-fleet"
    assert words == ["collect", *FLEET]
    assert command_parser().parse_args(words).fleet == Path(FLEET[1])


def test_a_day_is_analysed_reported_mailed_told_and_tidied(recorder):
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    code, asked = day(recorder)
    assert code == 0
    verbs = ("analyze", "report", "mail", "notify")
    assert asked == [*([verb, *FLEET, "--date", str(yesterday)] for verb in verbs), ["tidy", *FLEET[2:]]]
    for words in asked:
        command_parser().parse_args(words)


@pytest.mark.parametrize(
    ("failing", "asked_for"),
    [
        ("analyze=1", VERBS[:1]),
        ("report=1", VERBS[:2]),
        ("mail=1", VERBS),
        ("notify=1", VERBS),
        ("tidy=1", VERBS),
        ("mail=1 notify=2 tidy=2", VERBS),
        ("mail=2 notify=1", VERBS),
        ("mail=2 tidy=1", VERBS),
    ],
)
def test_what_fails_is_red_and_holds_back_only_what_rests_on_it(recorder, failing, asked_for):
    code, asked = day(recorder, failing)
    assert code == 1
    assert [words[0] for words in asked] == asked_for


@pytest.mark.parametrize("failing", ["analyze=2", "report=2", "mail=2", "tidy=2", "mail=2 notify=2 tidy=2"])
def test_bad_input_alone_is_not_tried_again(recorder, failing):
    assert setting("kafka-fleet-day.service", "Restart") == "on-failure"
    assert day(recorder, failing)[0] == int(setting("kafka-fleet-day.service", "RestartPreventExitStatus"))
