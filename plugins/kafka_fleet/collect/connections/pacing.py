"""Answers in very small pieces: takes what is read from a socket, bounds the work that a hostile far side makes of it.

A byte costs its sender nothing, and a reader some microseconds where it comes alone: as a chunk, a TLS record, a
segment, a line of informational responses without end. The limits of bytes and seconds would be held by far, and the
neighbours in this process would have no interpreter left. So an answer has a number of reads that grows with its bytes,
and a connection a number of short reads per second.
"""

import http.client
import io
import socket
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

READS = 2_000  # of one answer: lines of its head, sizes and contents of its chunks; some 10 ms
BYTES_PER_READ = 256  # on average beyond these; agents and proxies send chunks of 1 KB and more, of three reads each
SHORT = 512  # bytes; less than a segment
SHORT_READS = 200  # in a row take at least PACE_S together: others wait for the far side anyhow
PACE_S = 0.1
BUFFER = 64 * 1024


class Flood(http.client.HTTPException):
    """An answer in more pieces than its bytes allow; one sentence."""


class Pace:
    """Short reads of one connection: lets them go on at no more than SHORT_READS in PACE_S."""

    def __init__(self) -> None:
        self._short, self._since = 0, time.monotonic()

    def took(self, size: int) -> None:
        """A read gave so many bytes; the next one may have to wait, for the socket to have more of them."""
        if size >= SHORT:
            return
        self._short += 1
        if self._short < SHORT_READS:
            return
        early = self._since + PACE_S - time.monotonic()
        if early > 0:
            time.sleep(early)
        self._short, self._since = 0, time.monotonic()


class _Paced(io.RawIOBase):
    """The bytes of a socket, as its own unbuffered file gives them."""

    def __init__(self, raw: Any) -> None:
        self._raw, self._pace = raw, Pace()

    def readable(self) -> bool:
        return True

    def readinto(self, into: "WriteableBuffer") -> int | None:
        found: int | None = self._raw.readinto(into)
        self._pace.took(found or SHORT)  # 0 is the end
        return found

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Counted(io.BufferedReader):
    """Raises Flood when there are too many reads for so few bytes."""

    _reads = _bytes = 0

    def _count(self, size: int) -> None:
        self._reads += 1
        self._bytes += size
        if self._reads > READS + self._bytes // BYTES_PER_READ:
            raise Flood(f"the answer comes in very small pieces: {self._bytes:,} bytes in {self._reads:,}")

    def readline(self, size: int | None = -1) -> bytes:
        found = super().readline(size)
        self._count(len(found))
        return found

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        self._count(len(found))
        return found

    def read1(self, size: int = -1) -> bytes:
        found = super().read1(size)
        self._count(len(found))
        return found

    def readinto(self, into: "WriteableBuffer") -> int:
        found = super().readinto(into)
        self._count(found)
        return found


class Answer(http.client.HTTPResponse):
    """An HTTP answer of bounded work, informational responses before it among them; made by the connection."""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        self.fp.close()
        self.fp = _Counted(_Paced(sock.makefile("rb", buffering=0)), BUFFER)
