"""A debugger of one JVM (JDWP): takes the port that it listens on, lets threads stand still for as long as it is open.

A broker begins with `options(port)`. Whoever closes the debugger lets all threads go on, as the JVM does.
"""

import re
import socket
import struct
from itertools import count
from types import TracebackType
from typing import Self

from support.servers.byte_server import exactly

HANDSHAKE = b"JDWP-Handshake"
ID_SIZES, ALL_THREADS, NAME, SUSPEND, INTERRUPT = (1, 7), (1, 4), (11, 1), (11, 2), (11, 11)


def options(port: int) -> list[str]:
    """JVM options by which a broker waits for a debugger on the loopback, and runs meanwhile."""
    return [f"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:{port}"]


class Debugger:
    """A connection to a JVM. Raises OSError where there is none, ValueError where it answers with an error."""

    def __init__(self, port: int) -> None:
        self._numbers = count(1)
        self._line = socket.create_connection(("127.0.0.1", port), 30)
        self._line.sendall(HANDSHAKE)
        if exactly(self._line, len(HANDSHAKE)) != HANDSHAKE:
            self._line.close()
            raise ValueError("no JVM that can be debugged")
        self._id_size = struct.unpack_from(">5i", self._ask(ID_SIZES))[2]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.close()

    def _ask(self, command: tuple[int, int], body: bytes = b"") -> bytes:
        number = next(self._numbers)
        self._line.sendall(struct.pack(">iiBBB", 11 + len(body), number, 0, *command) + body)
        while True:
            size, answered, flags, code = struct.unpack(">iiBH", exactly(self._line, 11))
            answer = exactly(self._line, size - 11)
            if flags & 0x80 and answered == number:  # else an event of the JVM
                if code:
                    raise ValueError(f"JDWP error {code} for command {command}")
                return answer

    def threads(self) -> dict[bytes, str]:
        """Names of all threads by their ids."""
        answer = self._ask(ALL_THREADS)
        (many,) = struct.unpack_from(">i", answer)
        ids = [answer[4 + place * self._id_size :][: self._id_size] for place in range(many)]
        return {one: self._ask(NAME, one)[4:].decode() for one in ids}

    def suspend(self, name: str, after: int = 0) -> int:
        """Let the threads whose name matches stand still, but for the first ones that were made; how many they are."""
        matching = self.named(name)[after:]
        for one in matching:
            self._ask(SUSPEND, one)
        return len(matching)

    def interrupt(self, name: str) -> int:
        """Interrupt the threads whose name matches; how many they are."""
        matching = self.named(name)
        for one in matching:
            self._ask(INTERRUPT, one)
        return len(matching)

    def named(self, name: str) -> list[bytes]:
        """The threads whose name matches, in the order in which they were made."""
        return sorted(one for one, called in self.threads().items() if re.search(name, called))
