"""Files of the home, whether it is a folder or a bucket: takes paths and bytes; what is written is whole or not there.

On a disk a file is synced and renamed into place, and concurrent writers wait for a lock. In a bucket an object is
put at once, and concurrent writers put on a condition: that none is there yet, or that it is still the one that was
read.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from kafka_fleet.base.edited_files import TEMPORARY
from kafka_fleet.store import bucket

Item = TypeVar("Item")
Answer = TypeVar("Answer")
AT_ONCE = 32  # requests to a bucket, each of which waits for its answer


def replace_file(path: Path, content: bytes, new: bool = False) -> None:
    """Write a file so that a reader, or a machine that loses power, sees the old one or all of the new one.

    With `new` there must be no old one: raises FileExistsError, also for the later of two writers.
    """
    if bucket.is_bucket_path(path):
        if not bucket.put(path, content, if_none=new):
            raise FileExistsError(f"{path} is there already")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _put(path, content, path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}{TEMPORARY}"), new)


def _put(path: Path, content: bytes, temporary: Path, new: bool = False) -> None:
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new:
            path.open("xb").close()
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_file(path: Path) -> bytes:
    """A file's bytes; of a bucket by one request. Raises FileNotFoundError, or another OSError."""
    if not bucket.is_bucket_path(path):
        return path.read_bytes()
    content, _version = bucket.get(path)
    if content is None:
        raise FileNotFoundError(f"{path} is not there")
    return content


def other_size(path: Path, size: int) -> bool:
    """Whether a file on a disk is not of this size; a bucket tells no size for less than the object itself costs."""
    return not bucket.is_bucket_path(path) and path.stat().st_size != size


def tells_of_file(home: Path, error: Exception) -> bool:
    """Whether an error says something of the file that was read: trouble on the way to a bucket does not."""
    return not (bucket.is_bucket_path(home) and isinstance(error, OSError) and not isinstance(error, FileNotFoundError))


def update_file(path: Path, change: Callable[[bytes | None], bytes], lock: Path) -> None:
    """Read, change and replace a file as one atomic step among writers, of this process or of another.

    `change` gets the content, None where there is no file; what it raises leaves the file as it was. For a file on a
    disk it is called once, under `lock`, which is the file's folder or a file in it; for an object of a bucket once
    more each time that another writer was faster.
    """
    if bucket.is_bucket_path(path):
        while True:
            found, version = bucket.get(path)
            if bucket.put(path, change(found), if_none=version is None, if_match=version):
                return
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = os.open(lock, os.O_RDONLY if lock.is_dir() else os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)  # let go by the kernel when the process dies
        found = None
        with suppress(FileNotFoundError):
            found = path.read_bytes()
        # nobody else writes it now: one name, so that what a killed writer left is written over by the next one
        _put(path, change(found), path.with_name(f".{path.name}{TEMPORARY}"))
    finally:
        os.close(opened)


def claim_name(path: Path) -> None:
    """Take a name for oneself. Raises FileExistsError when another writer has it."""
    if bucket.is_bucket_path(path):
        replace_file(path, b"", new=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir()


def list_names(folder: Path) -> list[str]:
    """Names in a folder, sorted; none where there is no such folder, since a bucket has no empty ones."""
    return sorted(path.name for path in folder.glob("*"))


def list_names_between(folder: Path, start: str, end: str) -> list[str]:
    """Names in a folder that begin and end so, sorted. Of the others, which may be very many, none is kept."""
    if bucket.is_bucket_path(folder):
        return sorted(path.name for path in folder.glob(f"{start}*{end}"))
    try:
        with os.scandir(folder) as entries:
            return sorted(one.name for one in entries if one.name.startswith(start) and one.name.endswith(end))
    except FileNotFoundError:
        return []


def read_all(read: Callable[[Item], Answer], items: Iterable[Item], home: Path) -> list[Answer]:
    """`read` of every item in their order; many at a time when they are in a bucket, whose answers take their time."""
    if not bucket.is_bucket_path(home):
        return [read(item) for item in items]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(read, items))
