"""New lines of a log file: takes its path and where the last run ended, gives them over rotations and truncations."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from .messages import LONGEST

CHUNK, MOST = 1024 * 1024, 64 * 1024 * 1024  # bytes at a time, and of a file in one run
ABSENT = {"inode": 0, "offset": 0, "head": "", "head_bytes": 0}  # of a file that was not there yet


def lines_of(path: str, known: dict[str, Any] | None) -> tuple[list[bytes], dict[str, Any], int]:
    """New whole lines of a log file, where the next run goes on, and 1 if a file went that was not read to its end."""
    with open(path, "rb") as file:
        inode, size = os.fstat(file.fileno()).st_ino, os.fstat(file.fileno()).st_size
        head = file.read(min(size, 256))
        if known is None:
            return [], place(inode, whole(file, size), head), 0
        if known["inode"] == ABSENT["inode"]:
            lines, offset = read_lines(file, 0, size)
            return lines, place(inode, offset, head), 0
        same = digest(head[: known["head_bytes"]]) == known["head"]
        same = same and len(head) >= known["head_bytes"] and size >= known["offset"]
        if known["inode"] == inode and same:
            lines, offset = read_lines(file, known["offset"], size)
            return lines, place(inode, offset, head), 0
        lines, lost = rest_of(path, known) if known["inode"] != inode else ([], 1)
        more, offset = read_lines(file, 0, size)
        return lines + more, place(inode, offset, head), lost


def digest(head: bytes) -> str:
    """What tells a file from another one that got its inode."""
    return hashlib.sha256(head).hexdigest()[:32]


def place(inode: int, offset: int, head: bytes) -> dict[str, Any]:
    """Where a file was read up to."""
    return {"inode": inode, "offset": offset, "head": digest(head), "head_bytes": len(head)}


def whole(file: Any, size: int) -> int:
    """The end of the last whole line near the end of a file."""
    start = max(0, size - LONGEST)
    file.seek(start)
    return start + file.read(size - start).rfind(b"\n") + 1 if size else 0


def rest_of(path: str, known: dict[str, Any]) -> tuple[list[bytes], int]:
    """What was not read yet of the file that had this name before, wherever it is now in the folder."""
    with os.scandir(os.path.dirname(os.path.abspath(path))) as entries:
        for entry in entries:
            if entry.inode() == known["inode"] and entry.is_file():
                with open(entry.path, "rb") as file:
                    size = os.fstat(file.fileno()).st_size
                    if digest(file.read(known["head_bytes"])) == known["head"]:
                        return read_lines(file, known["offset"], size)[0], 0
    return [], 1


def read_lines(file: Any, start: int, size: int) -> tuple[list[bytes], int]:
    """Whole lines from an offset on, each cut to LONGEST, and the offset behind the last of them."""
    file.seek(start)
    lines: list[bytes] = []
    rest, offset, end = b"", start, min(size, start + MOST)
    while file.tell() < end:
        parts = file.read(min(CHUNK, end - file.tell())).split(b"\n")
        for part in parts[:-1]:
            lines.append((rest + part)[:LONGEST])
            rest = b""
        offset = file.tell() - len(parts[-1]) if len(parts) > 1 else offset
        rest = (rest + parts[-1])[:LONGEST]
    return lines, offset if lines or end == size else end
