"""In goes a command and a log file; out comes a running process that dies with this program at the latest.

Each process gets a session of its own, so that Ctrl-C reaches this program alone and it can stop brokers in order.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

LOOPBACK = "127.0.0.1"
# Below the range from which Linux takes the source ports of outgoing connections: a port chosen here cannot be taken by
# some client's connection between the choice and the broker's bind, nor while a broker is down between two starts.
PORTS = range(20_000, 32_000)

_lock = threading.Lock()
_handed_out: set[int] = set()
_reaper: subprocess.Popen[str] | None = None
_reaper_owner = 0


def free_port() -> int:
    """Return a loopback TCP port that nothing listens on and that this program has not handed out before."""
    with _lock:
        for port in random.sample(PORTS, 500):
            if port in _handed_out:
                continue
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind((LOOPBACK, port))
                except OSError:
                    continue
            _handed_out.add(port)
            return port
    raise OSError("no free loopback port found in 500 attempts")


def spawn(
    command: Sequence[str], log: Path, stdout: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a command in the background; standard error, and standard output unless given a file, go to the log."""
    with log.open("ab") as errors, (stdout or log).open("ab") as output:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            env={**os.environ, **(env or {})},
        )
    _tell_reaper(f"+{process.pid}")
    return process


def end(process: subprocess.Popen[bytes], grace_seconds: float = 20.0) -> int:
    """Ask a process to end, kill it after the grace (0: at once), and return its exit code."""
    if process.poll() is None and grace_seconds > 0:
        process.terminate()
        try:
            process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    elif process.poll() is None:
        process.kill()
    code = process.wait()
    _tell_reaper(f"-{process.pid}")
    return code


def tail(path: Path, lines: int = 15) -> str:
    """Return the last lines of a log file, or a note that there is none."""
    if not path.exists():
        return "(no log)"
    with path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - 16_384))
        return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])


def _tell_reaper(line: str) -> None:
    global _reaper, _reaper_owner
    with _lock:
        if _reaper is None or _reaper.poll() is not None or _reaper_owner != os.getpid():
            script = str(Path(__file__).with_name("reaper.py"))
            _reaper = subprocess.Popen(
                [sys.executable, "-I", "-S", script], stdin=subprocess.PIPE, start_new_session=True, text=True
            )
            _reaper_owner = os.getpid()
        if _reaper.stdin is None:
            raise RuntimeError("the watching process has no input")
        _reaper.stdin.write(line + "\n")
        _reaper.stdin.flush()
