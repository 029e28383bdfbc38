"""Connections by their TCP options: what ss prints of real sockets, what the script writes, what a sweep reads."""

import os
import socket
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.collect.hosts import STALE, connections
from kafka_fleet.collect.log_marks.kafka_log_marks.connections import exposition, main, sockets

# of real sockets: by a SYN cookie without timestamps; without timestamps; scaling turned off; all options
PRINTED = """\
9      0      198.18.0.1:9092 198.18.0.2:60076
\t bbr ato:40 mss:1460 pmtu:1500 rcvmss:536 advmss:1460 cwnd:10 bytes_received:9 lastsnd:3244 snd_wnd:64240
9      0      198.18.0.1:9092 198.18.0.2:60532 timer:(keepalive,1min,0)
\t sack bbr wscale:10,10 rto:204 rtt:0.325/0.162 ato:40 mss:1460 snd_wnd:64512
8      0      [::ffff:198.18.0.1]:9092 [::ffff:198.18.1.2]:49402
\t ts sack bbr rto:3460 rtt:1153/576.5 ato:40 mss:1448 snd_wnd:64240
0      0      198.18.0.1:9092 198.18.0.2:59780
\t ts sack cubic wscale:7,7 rto:204 rtt:3.021/4.923 ato:40 mss:1448
"""
NOW = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)


def test_each_connection_has_its_kind() -> None:
    assert sockets(PRINTED) == [
        ("198.18.0.2:60076", "bare"), ("198.18.0.2:60532", "scaled"),
        ("[::ffff:198.18.1.2]:49402", "unscaled"), ("198.18.0.2:59780", "scaled"),
    ]  # fmt: skip
    assert sockets("") == []


def text_of(at: datetime) -> str:
    return exposition({9092: sockets(PRINTED), 9093: []}, at.timestamp())


def test_a_sweep_reads_what_the_script_writes() -> None:
    found = {"scaled_connections": 2, "unscaled_connections": 1, "bare_connections": 1}
    text = text_of(NOW)
    assert text.count("kafka_listener_connections{") == 6, "a count of each port and kind, also of none"
    assert connections(text.encode(), NOW) == found
    # as node_exporter shows it: labels by name
    for port in (9092, 9093):
        for kind in ("scaled", "unscaled", "bare"):
            text = text.replace(f'port="{port}",options="{kind}"', f'options="{kind}",port="{port}"')
    assert connections(text.encode(), NOW) == found


@pytest.mark.parametrize("late", [STALE + timedelta(seconds=1), timedelta(days=-1)])
def test_what_was_counted_at_another_time_is_not_read(late: timedelta) -> None:
    assert connections(text_of(NOW).encode(), NOW + late) == {}


def test_a_host_without_the_script_has_no_counts() -> None:
    assert connections(b"node_boot_time_seconds 1.7e9\n", NOW) == {}
    assert connections(text_of(NOW).encode() * 2, NOW) == {}, "given twice"


def test_real_sockets_are_counted_and_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "connections.prom"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), server.accept()[0]:
            assert main(["--port", str(port), "--output", str(output)]) == 0
            assert main(["--port", str(port), "--peers"]) == 0
    assert f'kafka_listener_connections{{port="{port}",options="scaled"}} 1\n' in output.read_text()
    assert capsys.readouterr().out == "", "a connection with its options needs no mending"
    assert oct(output.stat().st_mode)[-3:] == "644"


def test_without_ss_the_textfile_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "connections.prom"
    output.write_text("before")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--port", "9092", "--output", str(output)]) == 2
    assert output.read_text() == "before"
    broken = tmp_path / "ss"
    broken.write_text(f"#!{sys.executable}\nraise SystemExit('no netlink here')\n")
    os.chmod(broken, 0o755)  # noqa: S103
    assert main(["--port", "9092", "--output", str(output)]) == 2
    assert output.read_text() == "before"


@pytest.mark.parametrize("lines", [(0,), (0, 2, 3), (0, 1, 2), (0, 2, 4, 6)])
def test_a_connection_without_its_options_is_no_count(
    lines: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = "".join(PRINTED.splitlines(keepends=True)[line] for line in lines)
    with pytest.raises(OSError, match="no options of the connection of 198"):
        sockets(printed)
    output, without = tmp_path / "connections.prom", tmp_path / "ss"
    output.write_text("before")
    without.write_text(f"#!{sys.executable}\nprint({printed!r}, end='')\n")
    os.chmod(without, 0o755)  # noqa: S103
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--port", "9092", "--output", str(output)]) == 2
    assert output.read_text() == "before"


def test_no_connection_at_all_is_not_measured() -> None:
    text = exposition({9092: [], 9093: []}, NOW.timestamp())
    assert text.count("} 0\n") == 6
    assert connections(text.encode(), NOW) == {}
