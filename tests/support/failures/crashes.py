"""Kills a job at each of its writes: takes a job and a home, gives the home as every kill left it.

A write is what Python tells its audit hooks of below the home: a file opened for writing, a rename, a removal, a folder
made or removed. Each fsync is two more: once with half of the file, as a torn write leaves it, once with all of it, not
yet renamed. Nothing lists the writes, so those of new code are killed by themselves. The job runs in a fork, which
kills itself with SIGKILL right before its n-th write.

FLEET_KILLS=every kills at every write; without it a test run kills at some of them, FLEET_SEED says which.
"""

import faulthandler
import fcntl
import gc
import json
import os
import random
import re
import shutil
import signal
import stat
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from kafka_fleet.store.raw.landing import ORPHAN_SECONDS
from support.generators.seed import SEED

EVERY = os.environ.get("FLEET_KILLS") == "every"
Job = Callable[[Path], object]
DAYS_LATER = time.time() + 2 * ORPHAN_SECONDS  # what tests leave is old then
LONGEST = 300  # seconds of a job, on a machine that is busy with others; then it says where it stood
_PATHS = {"os.rename": 1, "os.remove": 0, "os.mkdir": 0, "os.rmdir": 0, "os.link": 1, "os.symlink": 1,
          "os.truncate": 0, "os.utime": 0, "os.chmod": 0, "shutil.rmtree": 0}  # fmt: skip


class Write(NamedTuple):
    """What a job was about to do: the kind of write, and the path below its home, without process and clock."""

    kind: str
    path: str


@contextmanager
def in_memory(folder: Path) -> Iterator[Path]:
    """A folder for homes whose fsyncs cost nothing, where the machine has one: a killed process needs no disk."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="fleet-", dir=memory if memory.is_dir() else folder) as made:
        yield Path(made)


def _own(path: object, home: Path) -> str | None:
    if isinstance(path, str | bytes | os.PathLike):
        text = os.fsdecode(path)
        if text.startswith(f"{home}{os.sep}"):
            return re.sub(r"\.(\d+\.\d+|[0-9a-f]{16})\.tmp$", ".tmp", os.path.relpath(text, home))
    return None


def _arm(home: Path, at: int | None, told: int) -> None:
    """Count this process's writes below the home; before the one with number `at` tell of it, and die."""
    number = count(1)

    def before(kind: str, path: str | None, first: Callable[[], object] = lambda: None) -> None:
        if path is not None and next(number) == at:
            first()
            os.write(told, json.dumps([kind, path]).encode())
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND):
            before("open", _own(arguments[0], home))
        elif event in _PATHS:
            before(event.removeprefix("os."), _own(arguments[_PATHS[event]], home))

    real = os.fsync

    def fsync(file: int) -> None:
        path = _own(os.readlink(f"/proc/self/fd/{file}"), home)
        found = os.fstat(file)
        if stat.S_ISREG(found.st_mode):
            before("write", path, lambda: os.ftruncate(file, found.st_size // 2))
        before("fsync", path)
        real(file)

    os.fsync = fsync
    sys.addaudithook(hook)  # stays for good, which is not long


def killed(job: Job, home: Path, at: int | None, started: Callable[[int], object] = lambda child: None) -> Write | None:
    """Run a job on a home in a fork that dies before its write number `at`, or never; gives that write.

    None: it ended before. `started` gets the fork's process id, for those who kill it by themselves; of that no write
    is known. Raises AssertionError with its traceback when it failed.
    """
    read, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            faulthandler.dump_traceback_later(LONGEST, exit=True, file=told)  # also where it waits for a lock
            gc.disable()  # it would touch, and so copy, every page of the parent
            _arm(home, at, told)
            job(home)
            os._exit(0)
        except BaseException:
            os.write(told, traceback.format_exc().encode())
        finally:
            os._exit(1)
    os.close(told)
    started(child)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    _child, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL, f"the job ended by signal {os.WTERMSIG(status)}"
        return Write(*json.loads(said)) if said else Write("killed from outside", "")
    assert os.WEXITSTATUS(status) == 0, said.decode()
    return None


def numbers(step: int) -> Iterator[int]:
    """Numbers of writes to kill at: all, or in a bounded run every so many."""
    return count(1) if EVERY else count(1 + random.Random(SEED).randrange(step), step)  # noqa: S311 - a sample


def enough(points: Collection[object], bounded: int, every: int) -> None:
    """Say how many different writes were killed at, and fail where they are fewer than that."""
    print(f"killed at {len(points)} different writes")
    assert len(points) >= (every if EVERY else bounded)


def every_kill(job: Job, template: Path, folder: Path, step: int) -> Iterator[tuple[Write, Path]]:
    """Copies of a home, each as the job left it that was killed at the next of its writes, until it ends alive.

    step: of a bounded run, see `numbers`.
    """
    for at in numbers(step):
        home = folder / f"killed{at}"
        shutil.copytree(template, home)
        write = killed(job, home, at)
        if write is not None:
            yield write, home
        shutil.rmtree(home)
        if write is None:
            return


def on_their_way(home: Path) -> list[Path]:
    """Temporary files below a home."""
    return sorted(home.rglob("*.tmp"))


def unlocked(home: Path) -> bool:
    """Whether no lock below a home is held by the dead."""
    for path in home.rglob("*.lock"):
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


def tree(home: Path) -> dict[str, bytes]:
    """Content of every file by its path, but of locks, which have none."""
    files = (path for path in home.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(home)): path.read_bytes() for path in sorted(files)}
