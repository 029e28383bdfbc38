"""The script on a broker's host: what is counted of real lines, over rotations, kills and files that are not there."""

import ast
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.collect.log_marks.kafka_log_marks.__main__ import main
from kafka_fleet.collect.log_marks.kafka_log_marks.counts import Counts
from kafka_fleet.collect.log_marks.kafka_log_marks.kmsg import kmsg
from kafka_fleet.collect.log_marks.kafka_log_marks.messages import message, written_at
from kafka_fleet.knowledge.log_marks import log_marks

PRINTED = [(name, one.log, text) for name, one in log_marks().items() for text in one.printed]
FOLDER = Path("plugins/kafka_fleet/collect/log_marks/kafka_log_marks")
SEGMENT = "INFO [LogLoader partition=t-0, dir=/d] Recovering unflushed segment 0. 0/1 recovered for t-0."
LAYOUTS = {
    "kafka": "[2026-11-26 01:45:08,123] INFO {} (kafka.log.LogManager)",
    "strimzi": "2026-11-26 01:45:08,123 INFO {} (kafka.log.LogManager) [main]",
    "padded": "2026-11-26T01:45:08.123Z WARN  {}",
    "container": "2026-11-26T01:45:08.123456789Z stdout F [2026-11-26 01:45:08,123] INFO {} (kafka.log.LogManager)",
    "journald": "Nov 26 01:45:08 broker-1 kafka-server-start.sh[812]: [2026-11-26 01:45:08,123] INFO {} (kafka.log.X)",
    "kernel by syslog": "Nov 26 01:45:08 broker-1 kernel: [28352.907172] {}",
    "kernel by rsyslog": "2026-11-26T01:45:08.123456+00:00 broker-1 kernel: {}",
    "dmesg": "[28352.907172] {}",
    "bare": "{}",
}


def counted(log: str, line: str) -> dict[str, float]:
    counts = Counts({})
    counts.take(log, message(line), 1000.0)
    return {name: row["lines"] for name, row in counts.kept.items()}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_release_s_text_is_its_mark_in_every_layout(layout):
    for name, log, one in PRINTED:
        key = "syn_flood 9092" if name == "syn_flood" else name
        assert counted(log, LAYOUTS[layout].format(one.text)) == {key: 1}, one


@pytest.mark.parametrize("field", ["message", "msg", "@message", "log"])
def test_a_layout_of_json_has_the_message_in_a_field(field):
    for name, log, one in PRINTED:
        key = "syn_flood 9092" if name == "syn_flood" else name
        assert counted(log, json.dumps({"level": "INFO", field: one.text, "thread": "main"})) == {key: 1}


def test_a_client_whose_name_is_a_mark_makes_none():
    for _name, log, one in PRINTED:
        for line in (
            f"[2026-11-26 01:45:08,123] INFO [Client clientId={one.text}] disconnected (kafka.network.Processor)",
            f"[2026-11-26 01:45:08,123] INFO [Client clientId=x] {one.text}] disconnected (kafka.network.Processor)",
            f"[2026-11-26 01:45:08,123] WARN clientId=[x] INFO {one.text} (kafka.log.LogManager)",
            f"[2026-11-26 01:45:08,123] INFO x broker-1 kernel: {one.text}",
            json.dumps({"message": f"clientId={one.text}", "client": one.text}),
        ):
            assert counted(log, line) == {}, line


def test_a_mark_counts_in_its_own_log_alone_and_harmless_lines_in_none():
    for _name, log, one in PRINTED:
        for other in {"broker", "cleaner", "kernel"} - {log}:
            assert counted(other, one.text) == {}
    for line in (
        "[UnifiedLog partition=t-0, dir=/d] Producer state recovery took 4ms for snapshot load and 0ms for segment "
        "recovery from offset 9",
        "[LogLoader partition=t-0, dir=/d] Loading producer state till offset 9 with message format version 2",
        "[Partition t-0 broker=1] Failed to enqueue ISR change state LeaderAndIsr(leader=1) for partition t-0",
        "org.apache.kafka.common.errors.OperationNotAttemptedException: Failed to enqueue ISR change state x",
        "No logs found to be loaded in /d",
        "[LogLoader partition=__cluster_metadata-0, dir=/d] Recovering unflushed segment 0. 0/1 recovered for x.",
        "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0]: Error due to",
    ):
        assert counted("broker", f"[2026-11-26 01:45:08,123] INFO {line} (x)") == {}
        assert counted("cleaner", f"[2026-11-26 01:45:08,123] ERROR {line} (x)") == {}


def test_numbers_are_added_up_and_ports_are_told_apart():
    counts = Counts({})
    for directory, logs in (("/a", 7), ("/b", 5)):
        counts.take("broker", f"Recovering {logs} logs from {directory} since no clean shutdown file was found", 10.0)
    for port in [9092, 9092, *range(1, 40)]:
        counts.take("kernel", f"TCP: request_sock_TCP: Possible SYN flooding on port {port}. Sending cookies.", 20.0)
    assert counts.kept["unclean_start"] == {"lines": 2, "number": 12, "first": 10.0, "last": 10.0}
    assert counts.kept["syn_flood 9092"]["lines"] == 2
    assert sum(one.startswith("syn_flood") for one in counts.kept) == 16


def test_a_run_of_lines_ends_with_a_pause_of_a_minute():
    counts = Counts({})
    for at in (100, 150, 200, 400, 410):
        counts.take("broker", "Recovering unflushed segment 0", float(at))
    assert counts.kept["recovered_segment"] == {"lines": 5, "number": 0, "first": 400.0, "last": 410.0}


def test_a_line_was_written_when_it_says_if_that_is_since_the_last_run():
    now = datetime(2026, 11, 26, 1, 45, 30, tzinfo=UTC).timestamp()
    utc = "2026-11-26T01:45:08.5Z"
    assert written_at(f"{utc} INFO x", now - 300, now) == now - 21.5
    assert written_at("2026-11-26 02:45:08,500+01:00 INFO x", now - 300, now) == now - 21.5
    local = datetime.fromtimestamp(now - 21.5).strftime("[%Y-%m-%d %H:%M:%S,500] INFO x")
    assert written_at(local, now - 300, now) == now - 21.5
    for line in (utc.replace("01:45", "00:45"), utc.replace("2026", "2027"), "[9999-99-99 99:99:99,9] INFO", "no time"):
        assert written_at(line, now - 300, now) == now


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
