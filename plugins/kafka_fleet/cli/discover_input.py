"""What `discover` reads: takes a file or standard input, gives its text, or one sentence on what is wrong."""

import sys
from pathlib import Path
from typing import IO

from kafka_fleet.base.errors import UsageError
from kafka_fleet.discover.documents import MAX_BYTES

STANDARD_INPUT = "standard input"


def source_text(file: str, usage: str) -> tuple[str, str]:
    """What is read, by the name that errors have it under. usage: what to type where nothing is piped in."""
    if file == "-":
        if sys.stdin.isatty():
            raise UsageError(f"nothing is piped in, and no FILE is named; such as: {usage}")
        return STANDARD_INPUT, _decoded(sys.stdin.buffer, STANDARD_INPUT)
    try:
        with Path(file).open("rb") as opened:
            return file, _decoded(opened, file)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error


def _decoded(file: IO[bytes], name: str) -> str:
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{name}: larger than {MAX_BYTES // 2**20} MiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: is not UTF-8 text (byte {error.start})") from error


def fleet_text(path: Path) -> str:
    """The text of a fleet file that is compared with."""
    try:
        with path.open("rb") as file:
            return _decoded(file, str(path))
    except FileNotFoundError as error:
        raise UsageError(f"{path}: is not there; --write makes it") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
