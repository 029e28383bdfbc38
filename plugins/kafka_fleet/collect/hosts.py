"""Host evidence of one broker: takes its node_exporter URL, gives one row of the raw table `hosts`.

Only the few TCP counters and kernel limits are taken that explain a reconnect storm, and connections by their options
where a script on the host counts them (docs/log_marks.md); everything else is dropped.
"""

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.config.credentials import Credentials

# node_exporter metric -> column; the last three exist only with its sysctl collector
METRICS = {
    "node_netstat_TcpExt_ListenOverflows": "listen_overflows",
    "node_netstat_TcpExt_ListenDrops": "listen_drops",
    "node_netstat_TcpExt_SyncookiesSent": "syncookies_sent",
    "node_netstat_TcpExt_SyncookiesRecv": "syncookies_received",
    "node_boot_time_seconds": "boot_time_s",
    "node_sysctl_net_ipv4_tcp_syncookies": "tcp_syncookies",
    "node_sysctl_net_core_somaxconn": "somaxconn",
    "node_sysctl_net_ipv4_tcp_max_syn_backlog": "tcp_max_syn_backlog",
}
_LINE = re.compile(rb"^(%s)(?=[{ \t])(?:\{[^}\n]*\})?([^\n]*)$" % "|".join(METRICS).encode(), re.MULTILINE)
_VALUE = re.compile(rb"[ \t]+([0-9.eE+-]{1,40})(?:[ \t]+-?\d+)?[ \t\r]*")
# of kafka_log_marks.connections: by options, summed over the ports
_CONNECTIONS = re.compile(
    rb'^kafka_listener_connections\{[^}\n]{0,40}options="(scaled|unscaled|bare)"[^}\n]{0,40}\}[ \t]+(\d{1,9})[ \t\r]*$',
    re.MULTILINE,
)
_COUNTED = re.compile(
    rb"^kafka_listener_connections_read_timestamp_seconds[ \t]+([0-9.eE+-]{1,40})[ \t\r]*$", re.MULTILINE
)
STALE = timedelta(minutes=15)  # the script runs every minute
_SECONDS = "boot_time_s"  # a time; all others are counts and settings, which have no fractions


def _whole(text: bytes, column: str) -> int | None:
    """A value as the number that is written there, digit for digit; None for what is no count or time."""
    try:
        number = Decimal(text.decode())
    except InvalidOperation:
        return None  # such as "1e"
    if not 0 <= number < 2**63:
        return None
    return int(number) if column == _SECONDS or number == number.to_integral_value() else None


def parse(body: bytes | bytearray) -> tuple[dict[str, int], list[str]]:
    """Columns found in an exposition text, and the metrics that are in it twice: they have no value.

    Metrics that are absent, or whose value is none, stay absent.
    """
    seen: dict[str, bytes] = {}
    twice: set[str] = set()
    for line in _LINE.finditer(body):
        name = line[1].decode()
        if name in seen:
            twice.add(name)
        elif value := _VALUE.fullmatch(line[2]):
            seen[name] = value[1]
        else:
            seen[name] = b""
    found: dict[str, int] = {}
    for name, column in METRICS.items():
        number = _whole(seen[name], column) if name in seen and name not in twice else None
        if number is not None:
            found[column] = number
    return found, [name for name in METRICS if name in twice]


def connections(body: bytes | bytearray, now: datetime) -> dict[str, int]:
    """Connections by their options; nothing where no script counts them, or none did of late, or it found none at all.

    A broker has connections: a port that is none of its listeners' has not, nor has another network namespace.
    """
    counted = _COUNTED.findall(body)
    at = _whole(counted[0], _SECONDS) if len(counted) == 1 else None
    if at is None or abs(now.timestamp() - at) > STALE.total_seconds():
        return {}
    found: Counter[str] = Counter()
    for options, many in _CONNECTIONS.findall(body):
        found[f"{options.decode()}_connections"] += int(many)
    return dict(found) if found.total() else {}


def sweep_host(broker: int, url: str, limits: Limits) -> dict[str, Any]:
    """One row; a failed read is a row too, with its reason. Metrics given twice are named in the row's `detail`."""
    sent = datetime.now(UTC)
    try:
        with Endpoint(url, Credentials(), limits) as endpoint:
            body = endpoint.send("GET", url)
            found, twice = parse(body)
    except Failure as failure:
        return {"broker": broker, "outcome": "failed", "detail": str(failure)}
    said = f"given twice, so without a value: {', '.join(twice)}" if twice else None
    if not found:
        detail = f"protocol: {said or 'none of the wanted metrics in the answer'}"
        return {"broker": broker, "outcome": "failed", "detail": detail}
    middle = sent + (datetime.now(UTC) - sent) / 2
    return {"broker": broker, "outcome": "ok", "detail": said, "read_at": middle, **found, **connections(body, middle)}
