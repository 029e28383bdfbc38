"""Connections that lost their window scaling: takes the ports of listeners, writes a textfile, or prints the peers.

A connection that was accepted by SYN cookie without TCP timestamps has no option of TCP at all: a window of 64 kB at
most until it is closed. `ss` (iproute2) shows the options of each. Stands alone, as the rest of this folder:

    python3 -m kafka_log_marks.connections --port 9092 --output /var/lib/node_exporter/kafka_connections.prom
    python3 -m kafka_log_marks.connections --port 9092 --peers      # whose connections have to be made anew
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from .__main__ import replace

KINDS = ("scaled", "unscaled", "bare")
COUNT = "kafka_listener_connections"
READ = "kafka_listener_connections_read_timestamp_seconds"


def kind_of(options: list[str]) -> str:
    """scaled; unscaled: a client that has scaling turned off, and other options on; bare: none, as after a cookie."""
    if any(one.startswith("wscale:") for one in options):
        return "scaled"
    return "unscaled" if {"ts", "sack"} & set(options) else "bare"


def sockets(text: str) -> list[tuple[str, str]]:
    """Peer and kind of each connection in what `ss -tinoH` printed: a line of addresses, then one of options.

    Raises OSError where options are missing: a kernel without tcp_diag tells the addresses alone.
    """
    found, peer = [], None
    for line in text.splitlines():
        words = line.split()
        if not line[:1].isspace() and len(words) >= 4:
            if peer is not None:
                break
            peer = words[3]
        elif peer is not None and words:
            found.append((peer, kind_of(words)))
            peer = None
    if peer is not None:
        raise OSError(f"ss shows no options of the connection of {peer}: is the kernel's module tcp_diag missing?")
    return found


def established(port: int) -> list[tuple[str, str]]:
    """Peer and kind of each connection to a local port. Raises OSError where `ss` is not there or tells too little."""
    command = ["ss", "-tinoH", "state", "established", f"( sport = :{port} )"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=50)
    if done.returncode:
        raise OSError(f"ss: {done.stderr.decode('utf-8', 'replace').strip()[:200]}")
    return sockets(done.stdout.decode("utf-8", "replace"))


def exposition(found: dict[int, list[tuple[str, str]]], now: float) -> str:
    """The text of the .prom file: a count for each port and kind, also of none."""
    lines = [f"# HELP {COUNT} Established connections to a port by their TCP options.", f"# TYPE {COUNT} gauge"]
    for port, connections in sorted(found.items()):
        for kind in KINDS:
            many = sum(own == kind for _peer, own in connections)
            lines.append(f'{COUNT}{{port="{port}",options="{kind}"}} {many}')
    lines += [f"# HELP {READ} When they were counted.", f"# TYPE {READ} gauge", f"{READ} {now:.3f}"]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """0: done; 2: they could not be counted, or the textfile not be written: the one before stays and grows old."""
    parser = argparse.ArgumentParser(prog="kafka_log_marks.connections", description="Count connections by options.")
    parser.add_argument("--port", type=int, action="append", required=True, help="port of a listener; may be repeated")
    parser.add_argument("--output", help="the .prom file in node_exporter's textfile folder")
    parser.add_argument("--peers", action="store_true", help="print the peers of connections without any option")
    options = parser.parse_args(arguments)
    if bool(options.output) == options.peers:
        parser.error("one of --output and --peers is needed")
    try:
        found = {port: established(port) for port in options.port}
        if options.output:
            replace(options.output, exposition(found, time.time()), 0o644)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"kafka_log_marks: {error}", file=sys.stderr)
        return 2
    for port, connections in sorted(found.items()) if options.peers else ():
        for peer in sorted(peer for peer, kind in connections if kind == "bare"):
            print(port, peer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
