"""The command: takes the paths of logs, of the state and of the textfile; reads what is new and writes both anew."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
import tempfile
import time
from typing import Any

from .counts import Counts, exposition
from .files import ABSENT, lines_of
from .kmsg import kernel_records
from .messages import message, written_at


def main(arguments: list[str]) -> int:
    """0: done; 1: a log could not be read, and its marks are not told; 2: state or textfile cannot be written."""
    parser = argparse.ArgumentParser(prog="kafka_log_marks", description="Count log marks for node_exporter.")
    parser.add_argument("--log", action="append", default=[], help="a log of the broker (server.log); may be repeated")
    parser.add_argument("--cleaner-log", action="append", default=[], help="the log cleaner's (log-cleaner.log)")
    parser.add_argument("--kernel", action="append", default=[], help="/dev/kmsg, or the file that syslog writes of it")
    parser.add_argument("--broker", type=int, help="broker id as a label, where a host has several brokers")
    parser.add_argument("--state", required=True, help="file in which the script keeps how far it has read")
    parser.add_argument("--output", required=True, help="the .prom file in node_exporter's textfile folder")
    options = parser.parse_args(arguments)
    logs = {"broker": options.log, "cleaner": options.cleaner_log, "kernel": options.kernel}
    if not any(logs.values()):
        parser.error("one of --log, --cleaner-log and --kernel is needed")
    try:
        with open(options.state + ".lock", "w") as lock:  # a run that takes long is not joined by the next
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return run(logs, options.state, options.output, None if options.broker is None else str(options.broker))
    except BlockingIOError:
        return 0
    except OSError as error:
        print(f"kafka_log_marks: {error}", file=sys.stderr)
        return 2


def run(logs: dict[str, list[str]], state_file: str, output: str, broker: str | None) -> int:
    """Read what is new in all logs, keep the state, then write the textfile."""
    now = time.time()
    state = read_state(state_file) or {"since": now, "read": now, "lost": 0, "places": {}, "counts": {}}
    counts, told = Counts(state["counts"]), dict[str, bool]()
    earliest = state["read"] - 300
    for log, paths in logs.items():
        failed = False
        for path in paths:
            try:
                take(log, path, state, counts, earliest, now)
            except OSError as error:
                print(f"kafka_log_marks: {error}", file=sys.stderr)
                failed = True
        if paths:
            told[log] = not failed
    state["read"] = now
    replace(state_file, json.dumps(state), 0o600)
    replace(output, exposition(state["counts"], told, state, broker), 0o644)
    return 0 if all(told.values()) else 1


def take(log: str, path: str, state: dict[str, Any], counts: Counts, earliest: float, now: float) -> None:
    """Count what is new in one log. Raises OSError where it cannot be read."""
    places, key = state["places"], f"{log} {path}"
    if os.path.basename(path) == "kmsg":
        records, places[key] = kernel_records(path, places.get(key))
        for text, at in records:
            counts.take(log, text, at)
        return
    try:
        lines, places[key], lost = lines_of(path, places.get(key))
    except FileNotFoundError:
        places.setdefault(key, ABSENT)  # all of it is new when it comes
        raise
    state["lost"] += lost
    for line in lines:
        text = line.decode("utf-8", "replace")
        counts.take(log, message(text), written_at(text, earliest, now))


def read_state(path: str) -> dict[str, Any] | None:
    """What the last run kept; None of none, or of a file that is not whole: counting then begins anew."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, ValueError):
        return None
    keys = {"since", "read", "lost", "places", "counts"}
    return found if isinstance(found, dict) and set(found) == keys else None


def replace(path: str, text: str, mode: int) -> None:
    """Write a file so that a reader has the old or the new one whole."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, name = tempfile.mkstemp(prefix=".kafka_log_marks.", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
