"""A disk whose power is cut: takes an empty folder, gives a real ext4 there that can lose all that was not synced.

The cut is ext4's own shutdown without a flush of its log, as the tests of Linux's file systems do it: from then on
nothing reaches the device, and mounting it again replays what the log had by then. `noauto_da_alloc` takes away ext4's
help for programs that rename without syncing, and the long commit their luck. Needs root and loop devices.
"""

import fcntl
import os
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2  # EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH of Linux's fs/ext4
MEBIBYTES = 32
DIED, RAISED = 77, 78  # exit codes
Step = Callable[[], object]


class NoDisk(RuntimeError):
    """This machine lets nobody mount a disk; the text says why."""


def _run(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NoDisk(f"there is no {command[0]}") from error
    if done.returncode:
        raise NoDisk(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


class Disk:
    """One ext4, at `folder` while it is mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._image = folder, folder.with_name(f"{folder.name}.img")
        folder.mkdir()

    def mount(self, new: bool = True) -> None:
        """An empty one, unless it is not `new`. Raises NoDisk."""
        if new:
            with self._image.open("wb") as file:
                file.truncate(MEBIBYTES * 2**20)
            _run("mkfs.ext4", "-q", "-F", str(self._image))
        _run("mount", "-o", "loop,commit=300,noauto_da_alloc", str(self._image), str(self.folder))

    def unmount(self) -> None:
        """What was not synced is written, unless the power was cut."""
        _run("umount", str(self.folder))
        while _run("losetup", "--associated", str(self._image)):  # it goes a little later, and would be mounted again
            time.sleep(0.01)

    def again(self) -> None:
        """Mount it once more, as the machine that is back does."""
        self.unmount()
        self.mount(new=False)

    def cut(self) -> None:
        """Nothing is written from here on."""
        opened = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(opened, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(opened)

    def settled(self, step: Step) -> None:
        """A step that is done before the power goes: unmounting puts all of it on the disk. `back` is back to there."""
        step()
        self.unmount()
        _run("cp", "--sparse=always", str(self._image), f"{self._image}.settled")
        self.mount(new=False)

    def back(self) -> None:
        """As it was when it was settled."""
        self.unmount()
        _run("cp", "--sparse=always", f"{self._image}.settled", str(self._image))
        self.mount(new=False)


def cut_after(disk: Disk, step: Step, forgets: Callable[[int], bool] = lambda _mode: False) -> None:
    """Carry a step out in a process of its own, cut the power at once, and mount the disk again.

    forgets: whether fsync is left out for a file of this mode, as a writer would that does not know better.
    """
    child = os.fork()
    if child == 0:
        os._exit(_carried_out(step, forgets))
    _pid, status = os.waitpid(child, 0)
    disk.cut()
    disk.again()
    assert os.waitstatus_to_exitcode(status) == 0, "the step failed before the power went"


def cut_before(disk: Disk, step: Step, number: int) -> bool:
    """Cut the power right before the step's n-th fsync, rename or removal; False where it has fewer and is done."""
    child = os.fork()
    if child == 0:
        os._exit(_cut_at(disk, step, number))
    _pid, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, DIED), code
    if code == 0:
        disk.cut()
    disk.again()
    return code == DIED


def _carried_out(step: Step, forgets: Callable[[int], bool]) -> int:
    real = os.fsync

    def fsync(opened: int) -> None:
        if not forgets(stat.S_IFMT(os.fstat(opened).st_mode)):
            real(opened)

    os.fsync = fsync
    try:
        step()
    except BaseException as error:  # the parent fails with the code
        print(repr(error), file=sys.stderr, flush=True)
        return RAISED
    return 0


def _cut_at(disk: Disk, step: Step, number: int) -> int:
    """The process stays until it comes to its n-th write that matters, and ends with the power."""
    left = [number]
    real = os.fsync

    def before(_event: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            disk.cut()
            os._exit(DIED)

    def fsync(opened: int) -> None:
        before("fsync")
        real(opened)

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("os.rename", "os.remove") and str(disk.folder) in os.fsdecode(str(arguments[0])):
            before(event)

    os.fsync = fsync
    sys.addaudithook(audit)
    return _carried_out(step, lambda _mode: False)
