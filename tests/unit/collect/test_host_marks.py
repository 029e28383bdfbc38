"""The script on a broker's host: what it counts over rotations, kills and files that are not there."""

import ast
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.collect.log_marks.kafka_log_marks.__main__ import main
from kafka_fleet.collect.log_marks.kafka_log_marks.kmsg import kmsg

FOLDER = Path("plugins/kafka_fleet/collect/log_marks/kafka_log_marks")
SEGMENT = "INFO [LogLoader partition=t-0, dir=/d] Recovering unflushed segment 0. 0/1 recovered for t-0."


def values(path: Path) -> dict[str, float]:
    rows = [line.rsplit(" ", 1) for line in path.read_text().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in rows}


class Host:
    """A folder with a log, and the script that is run over it."""

    def __init__(self, folder: Path) -> None:
        self.log, self.output, self.state = folder / "server.log", folder / "k.prom", folder / "state.json"

    def write(self, *lines: str, mode: str = "a") -> None:
        stamp = datetime.now().strftime("[%Y-%m-%d %H:%M:%S,000]")
        with self.log.open(mode) as file:
            file.write("".join(f"{stamp} {line}\n" for line in lines))

    def run(self, *more: str) -> int:
        return main(["--log", str(self.log), "--state", str(self.state), "--output", str(self.output), *more])

    @property
    def segments(self) -> float:
        return values(self.output)['kafka_log_mark_lines_total{mark="recovered_segment"}']


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def test_what_was_there_before_the_first_run_is_no_news(host):
    host.write(SEGMENT, SEGMENT)
    assert host.run() == 0
    assert host.segments == 0
    host.write(SEGMENT)
    assert host.run() == 0
    assert host.segments == 1
    found = values(host.output)
    last = found['kafka_log_mark_last_line_timestamp_seconds{mark="recovered_segment"}']
    assert abs(datetime.now().timestamp() - last) < 60
    assert oct(host.output.stat().st_mode)[-3:] == "644"
    assert list(host.output.parent.glob(".kafka_log_marks.*")) == []


def test_marks_of_a_log_that_is_not_given_or_not_there_are_not_told(host, capsys):
    assert host.run() == 1
    assert "No such file" in capsys.readouterr().err
    assert "mark=" not in host.output.read_text()
    assert values(host.output)['kafka_log_marks_readable{log="broker"}'] == 0
    host.write(SEGMENT)
    assert host.run() == 0
    assert values(host.output)['kafka_log_marks_readable{log="broker"}'] == 1
    assert host.segments == 1, "a log that comes later is new from its begin on"
    assert "cleaner_died" not in host.output.read_text()
    assert host.run("--cleaner-log", str(host.log)) == 0
    host.write("ERROR [kafka-log-cleaner-thread-0]: Error due to (kafka.log.LogCleaner)")
    assert host.run("--cleaner-log", str(host.log), "--broker", "7") == 0
    assert values(host.output)['kafka_log_mark_lines_total{broker="7",mark="cleaner_died"}'] == 1


def test_a_log_that_is_renamed_is_read_to_its_end_first(host):
    host.write("INFO begin")
    host.run()
    host.write(SEGMENT)
    host.log.rename(host.log.with_name("server.log.1"))
    host.write(SEGMENT, SEGMENT)
    host.run()
    assert host.segments == 3
    host.log.rename(host.log.with_name("server.log.2"))
    assert host.run() == 1, "between the rename and the new file"
    host.write(SEGMENT)
    assert host.run() == 0
    assert host.segments == 4
    assert values(host.output)["kafka_log_marks_lost_files_total"] == 0


def test_a_log_that_is_cut_off_or_gone_is_read_from_its_begin_and_said(host):
    host.write("INFO begin", SEGMENT)
    host.run()
    host.write(SEGMENT, mode="w")
    host.run()
    assert host.segments == 1
    host.write("INFO another file of the same inode, longer than the last", SEGMENT, SEGMENT, mode="w")
    host.run()
    assert host.segments == 3
    assert values(host.output)["kafka_log_marks_lost_files_total"] == 2


def test_a_line_that_is_being_written_waits_for_its_end(host):
    host.write("INFO begin")
    host.run()
    with host.log.open("a") as file:
        file.write(f"[2026-11-26 01:45:08,123] {SEGMENT[:30]}")
    host.run()
    with host.log.open("a") as file:
        file.write(SEGMENT[30:] + "\n" + "x" * 100_000 + "\n")
    host.write(SEGMENT)
    host.run()
    assert host.segments == 2


def test_a_state_that_is_not_whole_begins_the_count_anew(host):
    host.write("INFO begin")
    host.run()
    host.write(SEGMENT)
    host.run()
    since = values(host.output)["kafka_log_marks_since_timestamp_seconds"]
    host.state.write_text(host.state.read_text()[:40])
    assert host.run() == 0
    assert host.segments == 0
    assert values(host.output)["kafka_log_marks_since_timestamp_seconds"] > since


def test_a_textfile_that_cannot_be_written_leaves_the_old_one_and_says_so(host, tmp_path, capsys):
    host.write("INFO begin")
    host.run()
    arguments = ["--log", str(host.log), "--state", str(host.state), "--output", str(tmp_path / "none" / "k.prom")]
    assert main(arguments) == 2
    assert "No such file" in capsys.readouterr().err


def test_nothing_of_a_line_is_kept(host):
    host.write("INFO begin")
    host.run()
    host.write(SEGMENT.replace("t-0", "canary-0"), "INFO canary")
    host.run()
    assert "canary" not in host.state.read_text() + host.output.read_text()


def test_records_of_the_kernel_are_its_own_alone(tmp_path):
    path = tmp_path / "kmsg"
    path.write_text("6,10,5000000,-;TCP: a\n")
    assert list(kmsg(str(path))) == [(10, 5_000_000, "TCP: a")]
    path.write_text("12,11,5000000,-;TCP: written by a program\n")  # 12 >> 3 is 1, the facility of programs
    assert list(kmsg(str(path))) == []


def test_the_folder_alone_is_a_program_of_python_3_7(tmp_path):
    for file in FOLDER.glob("*.py"):
        ast.parse(file.read_text(), feature_version=(3, 7))
    os.symlink(FOLDER.resolve(), tmp_path / "kafka_log_marks")
    log = tmp_path / "server.log"
    log.write_text(f"{datetime.now() - timedelta(hours=1)} {SEGMENT}\n")
    run = subprocess.run(
        [sys.executable, "-m", "kafka_log_marks", "--log", "server.log", "--state", "s", "--output", "o"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert values(tmp_path / "o")['kafka_log_mark_lines_total{mark="clean_start"}'] == 0
