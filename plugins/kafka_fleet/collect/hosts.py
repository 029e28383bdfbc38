"""Host evidence of one broker: takes its node_exporter URL, gives one row of the raw table `hosts`.

Only the few TCP counters and kernel limits are taken that explain a reconnect storm; everything else is dropped.
"""

import re
from datetime import UTC, datetime
from typing import Any

from kafka_fleet.collect.transport import Credentials, Endpoint, Failure, Limits

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
_LINE = re.compile(rb"^(node_[A-Za-z0-9_]+)(?:\{[^}\n]*\})?[ \t]+([0-9.eE+-]+)(?:[ \t]+-?\d+)?[ \t\r]*$", re.MULTILINE)


def parse(body: bytes | bytearray) -> dict[str, int]:
    """Columns found in an exposition text; metrics that are absent stay absent."""
    found: dict[str, int] = {}
    for name, value in _LINE.findall(body):
        column = METRICS.get(name.decode())
        if column is not None:
            try:
                number = float(value)
            except ValueError:
                continue  # such as "1e": not a number of this format, and the column stays missing
            if 0 <= number < 2**63:
                found[column] = int(number)
    return found


def sweep_host(broker: int, url: str, limits: Limits) -> dict[str, Any]:
    """One row; a failed read is a row too, with its reason."""
    sent = datetime.now(UTC)
    try:
        with Endpoint(url, Credentials(), limits) as endpoint:
            found = parse(endpoint.send("GET", url))
    except Failure as failure:
        return {"broker": broker, "outcome": "failed", "detail": str(failure)}
    if not found:
        return {"broker": broker, "outcome": "failed", "detail": "protocol: none of the wanted metrics in the answer"}
    return {"broker": broker, "outcome": "ok", "read_at": sent + (datetime.now(UTC) - sent) / 2, **found}
