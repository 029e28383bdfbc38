"""Measuring side by side: takes named operations, runs them in interleaved rounds, gives medians per operation."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

TICK = os.sysconf("SC_CLK_TCK")
FIGURES = ("reached", "MISSED", "figure")  # how lines begin that `scripts/prove` records


class Operation(NamedTuple):
    """A thing to be timed; what it returns is not looked at."""

    name: str
    run: Callable[[], object]


class Timing(NamedTuple):
    """Wall seconds of each repetition, and the CPU seconds that a watched process spent meanwhile."""

    walls: list[float]
    cpus: list[float]

    @property
    def wall(self) -> float:
        """Median wall seconds."""
        return statistics.median(self.walls)

    @property
    def cpu(self) -> float:
        """Mean CPU seconds of the watched process: /proc counts in ticks of 10 ms, which a median would show."""
        return statistics.fmean(self.cpus)


def cpu_seconds(pid: int) -> float:
    """User and system CPU seconds of a process, all its threads, from /proc/<pid>/stat."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def interleaved(operations: Sequence[Operation], rounds: int, watched: int | None = None) -> dict[str, Timing]:
    """Run every operation once per round, each round beginning with another one, so that drift hits all alike.

    `watched` is the process whose CPU time is taken beside the wall time; None gives zeros.
    """
    found = {one.name: Timing([], []) for one in operations}
    for number in range(rounds):
        turn = number % len(operations)
        for one in [*operations[turn:], *operations[:turn]]:
            cpu = cpu_seconds(watched) if watched else 0.0
            started = time.perf_counter()
            one.run()
            found[one.name].walls.append(time.perf_counter() - started)
            found[one.name].cpus.append(cpu_seconds(watched) - cpu if watched else 0.0)
    return found


def gate(words: str, value: float, limit: float, unit: str = "") -> bool:
    """Print one gate with its value; whether it holds (value at most limit)."""
    holds = value <= limit
    print(f"  {'reached ' if holds else 'MISSED  '} {words}: {value:.2f}{unit}, at most {limit:g}{unit}", flush=True)
    return holds


def figure(words: str, value: object) -> None:
    """Print one figure without a gate, its unit in its words or its value."""
    print(f"  figure   {words}: {value}", flush=True)


def machine() -> str:
    """One line about where this runs: cores, load before the run, Python."""
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores, load average {load:.1f} before the run, Python {platform.python_version()}"
