"""Host metrics: exposition text of every shape, and endpoints that fail."""

import time

import pytest

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.hosts import METRICS, parse, sweep_host
from support.servers.jolokia_simulator import Agent, agent, answer

LIMITS = Limits(connect_s=10.0, read_s=20.0, deadline_s=40.0, max_bytes=2_000_000)
TEXT = b"""# HELP node_netstat_TcpExt_ListenOverflows Statistic TcpExtListenOverflows.
# TYPE node_netstat_TcpExt_ListenOverflows untyped
node_netstat_TcpExt_ListenOverflows 250
node_netstat_TcpExt_ListenDrops 2.5e+02
node_netstat_TcpExt_SyncookiesSent{netns=""} 107 1732183200000
node_netstat_TcpExt_SyncookiesRecv 0
node_boot_time_seconds 1.7321832e+09
node_sysctl_net_ipv4_tcp_syncookies 1
node_sysctl_net_core_somaxconn 4096
node_sysctl_net_ipv4_tcp_max_syn_backlog 1024
node_uname_info{release="6.1",nodename="canary-host"} 1
"""
FOUND = {
    "listen_overflows": 250,
    "listen_drops": 250,
    "syncookies_sent": 107,
    "syncookies_received": 0,
    "boot_time_s": 1732183200,
    "tcp_syncookies": 1,
    "somaxconn": 4096,
    "tcp_max_syn_backlog": 1024,
}


def test_every_metric_is_found_and_nothing_else():
    assert parse(TEXT) == (FOUND, [])
    assert parse(TEXT.replace(b"\n", b"\r\n")) == (FOUND, [])
    assert set(FOUND) == set(METRICS.values())


@pytest.mark.parametrize("value", [b"NaN", b"+Inf", b"-1", b"1e400", b"1e", b"", b"seven", b"1e19", b"0x10", b"1.9"])
def test_what_is_no_count_stays_missing(value):
    assert parse(b"node_netstat_TcpExt_ListenDrops " + value + b"\n") == ({}, [])


ONE = b"node_netstat_TcpExt_ListenDrops"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"9007199254740993", 2**53 + 1),
        (b"9223372036854775807", 2**63 - 1),
        (b"9223372036854775808", None),
        (b"1.234567e+06", 1_234_567),
        (b"250.0", 250),
        (b"1e-1", None),
        (b"1e999999999", None),
        (b"1e99999999999999999999999999999", None),
        (b"0e999999999", 0),
        (b"1" * 60, None),
        ("\u0661".encode(), None),
    ],
)
def test_a_count_is_the_number_that_is_written_there(text, number):
    assert parse(ONE + b" " + text) == ({} if number is None else {"listen_drops": number}, [])


def test_a_boot_time_is_whole_seconds():
    assert parse(b"node_boot_time_seconds 1.732183200987e+09") == ({"boot_time_s": 1_732_183_200}, [])


@pytest.mark.parametrize(
    "second", [b" 7", b" 5", b'{netns="x"} 7', b" NaN", b" seven", b'{a="}"} 7', b"\t", b' {a="x"} 7', b"{"]
)
def test_a_metric_that_is_given_twice_has_no_value_and_is_named(second):
    lines = [ONE + b" 5\n", ONE + second + b"\n"]
    for order in (lines, lines[::-1]):
        found = parse(b"node_netstat_TcpExt_ListenOverflows 3\n" + b"".join(order) + ONE + b"2 9\n")
        assert found == ({"listen_overflows": 3}, [ONE.decode()])


def test_hostile_text_costs_no_time():
    started = time.monotonic()
    for line in (b"node_a{\n", b'node_a{x="', b"node_" + b"a" * 5_000, b"node_a " + b"1" * 5_000 + b"x\n", b"{" * 100):
        assert parse(line * (4_000_000 // len(line))) == ({}, [])
    assert time.monotonic() - started < 5


def test_a_row_of_a_host_and_of_one_that_fails():
    with agent(Agent()) as one:
        one.wire = lambda handler: answer(handler, TEXT, Content_Type="text/plain")
        row = sweep_host(1, one.url, LIMITS)
        assert row.pop("read_at").timestamp() == pytest.approx(time.time(), abs=5)
        assert row == {"broker": 1, "outcome": "ok", "detail": None, **FOUND}
        one.wire = lambda handler: answer(handler, TEXT + ONE + b" 251\n")
        row = sweep_host(1, one.url, LIMITS)
        assert (row["outcome"], row.get("listen_drops"), row["somaxconn"]) == ("ok", None, 4096)
        assert row["detail"] == f"given twice, so without a value: {ONE.decode()}"
        one.wire = lambda handler: answer(handler, (ONE + b" 251\n") * 2)
        row = sweep_host(1, one.url, LIMITS)
        assert (row["outcome"], row["detail"]) == (
            "failed",
            f"protocol: given twice, so without a value: {ONE.decode()}",
        )
        one.wire = lambda handler: answer(handler, b"<html>canary</html>")
        assert sweep_host(1, one.url, LIMITS) == {
            "broker": 1,
            "outcome": "failed",
            "detail": "protocol: none of the wanted metrics in the answer",
        }
        one.wire = lambda handler: answer(handler, b"x" * 3_000_000)
        assert sweep_host(1, one.url, LIMITS)["detail"].startswith("too_large: ")
        one.wire = lambda handler: answer(handler, b"canary", 500)
        assert sweep_host(1, one.url, LIMITS)["detail"] == "http: HTTP 500"
        assert [headers.get("Authorization") for _path, headers, _body in one.seen] == [None] * 7  # a 500 twice
