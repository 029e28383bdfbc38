"""Files that people edit as well: takes a path and a change, replaces the file whole, with mode and owner as they were.

Their folder is not the home's: whoever may write there puts links and pipes there too. None is followed, none read.
"""

import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

TEMPORARY = ".tmp"  # ends the name of a file that is on its way; it begins with a dot
MODE = 0o644  # of a file that was not there, less the process's umask


class NotOurs(OSError):
    """A file that is not to be written here; `strerror` is the rest of a sentence that begins with its name."""


def _no_file(path: Path) -> NotOurs:
    kind = "a link" if path.is_symlink() else "no file"
    return NotOurs(errno.ELOOP, f"it is {kind}; put the file itself beside the fleet file")


def _read(path: Path) -> tuple[bytes | None, os.stat_result | None]:
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        raise (_no_file(path) if error.errno == errno.ELOOP else error) from error
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode):
            raise _no_file(path)
        return file.read(), found


def _keep(opened: int, was: os.stat_result) -> None:
    """Give the new file the old one's owner, group and mode. Raises NotOurs where this process may not."""
    now = os.fstat(opened)
    if (now.st_uid, now.st_gid) != (was.st_uid, was.st_gid):
        try:
            os.fchown(opened, was.st_uid, was.st_gid)
        except PermissionError as error:
            theirs = f"it belongs to user {was.st_uid} and group {was.st_gid}, and would not any more"
            raise NotOurs(error.errno, f"{theirs}; write it as that user") from error
    os.fchmod(opened, stat.S_IMODE(was.st_mode))


def edit_file(path: Path, change: Callable[[bytes | None], bytes]) -> None:
    """Read, change and replace a file of an existing folder as one atomic step among concurrent writers.

    `change` gets the content, None where there is no file; what it raises leaves the file as it was. A reader, or a
    machine that loses power, sees the old file or all of the new one. Raises OSError; NotOurs where the file is a
    link or no file at all, or where its owner could not be kept.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # let go by the kernel when the process dies
        found, was = _read(path)
        content = change(found)
        for left in path.parent.glob(f".{path.name}*{TEMPORARY}"):  # by who was killed: who lives has the lock
            with suppress(OSError):
                left.unlink()
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}{TEMPORARY}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        opened = os.open(temporary, flags, MODE if was is None else 0o600)
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(content)
                if was is not None:
                    _keep(opened, was)
                file.flush()
                os.fsync(opened)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        os.fsync(folder)
    finally:
        os.close(folder)
