"""In come process ids on standard input ("+12", "-12"); when the input ends, every id still listed is killed.

Runs as a process of its own, so that brokers and clients never outlive the program that started them, even when that
program is killed and can clean up nothing itself. The input is a pipe that only that program holds: the kernel closes
it at the program's end, however it ends.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable


def watch(lines: Iterable[str]) -> set[int]:
    """Follow the list until its end and return the process ids that were added and never removed."""
    alive: set[int] = set()
    for line in lines:
        pid = int(line[1:])
        if line.startswith("+"):
            alive.add(pid)
        else:
            alive.discard(pid)
    return alive


if __name__ == "__main__":
    for left_over in watch(sys.stdin):
        try:
            os.kill(left_over, signal.SIGKILL)
        except ProcessLookupError:
            continue  # ended by itself in the meantime
