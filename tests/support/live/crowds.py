"""A crowd of connections beside a test: takes an address, a number and a folder, holds them while the block runs."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fleet_demo.processes import end, spawn, tail

TESTS = Path(__file__).resolve().parents[2]


class Held(NamedTuple):
    """What the process of the crowd printed, and how many connections it is to hold."""

    out: Path
    log: Path
    connections: int

    def wait(self, seconds: float = 60.0) -> None:
        """Return when all are held; AssertionError with the crowd's own words when they are not in time."""
        deadline = time.monotonic() + seconds
        while (last := self._last()[0]) < self.connections:
            assert time.monotonic() < deadline, f"{last} of {self.connections} connections are held:\n{tail(self.log)}"
            time.sleep(0.2)

    def made(self) -> int:
        """How many connections were made so far, each time that any of them was."""
        return self._last()[1]

    def _last(self) -> tuple[int, int]:
        lines = [line.split() for line in self.out.read_text().splitlines()]
        whole = [(int(words[0]), int(words[1])) for words in lines if len(words) == 2]
        return whole[-1] if whole else (0, 0)


@contextmanager
def crowd(folder: Path, host: str, port: int, connections: int, prefix: Sequence[str] = ()) -> Iterator[Held]:
    """So many connections, made at once. `prefix` goes before the command, such as `ip netns exec ...`."""
    held = Held(folder / "crowd.out", folder / "crowd.log", connections)
    held.out.touch()
    command = [*prefix, sys.executable, "-m", "support.live.reconnecting", host, str(port), str(connections)]
    process = spawn(command, held.log, held.out, {"PYTHONPATH": str(TESTS)})
    try:
        held.wait()
        yield held
    finally:
        end(process, 0)
