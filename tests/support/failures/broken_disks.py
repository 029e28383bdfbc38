"""Disks that fail: a folder on one with so many KiB free, on one that is read-only, and an fsync that answers EIO.

As root a disk is a file system of its own, in memory: what fails is the write of the kernel. Elsewhere the nearest that
needs no right is taken: a limit on the size of a file (EFBIG), and folders without the right to write (EACCES).
"""

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = os.geteuid() == 0
FULL, READ_ONLY = (errno.ENOSPC, errno.EROFS) if ROOT else (errno.EFBIG, errno.EACCES)
DISK_KIB = 4096


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """A folder on a disk of its own, of DISK_KIB, where that is allowed."""
    folder.mkdir()
    if ROOT:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_KIB}k", "fleet-test", str(folder)], check=True)
    try:
        yield folder
    finally:
        if ROOT:
            subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def full(folder: Path, kib: int) -> Iterator[None]:
    """Within, the disk has so many KiB free; without a disk of its own, a file may have so many."""
    if not ROOT:
        was = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (kib * 1024, was[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, was)
        return
    filler = folder / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(folder).free - kib * 1024)
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Within, nothing of the disk can be written."""

    def remount(how: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)

    def allow(mode: int) -> None:
        for path in [folder, *(one for one in folder.rglob("*") if one.is_dir())]:
            path.chmod(mode)

    remount("ro") if ROOT else allow(0o500)
    try:
        yield
    finally:
        remount("rw") if ROOT else allow(0o700)


@contextmanager
def fails_at(number: int) -> Iterator[list[str]]:
    """The fsync with this number, of this process from here on, answers EIO; gives the path it was of.

    No device of these tests can be told to fail, so the answer is put in the place of the call.
    """
    hit: list[str] = []
    seen = 0
    real = os.fsync

    def fsync(file: int) -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            hit.append(os.readlink(f"/proc/self/fd/{file}"))
            raise OSError(errno.EIO, os.strerror(errno.EIO), hit[0])
        real(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        yield hit
