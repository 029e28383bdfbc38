"""A debugger of one JVM (JDWP): takes the port that it listens on, lets threads stand still for as long as it is open.

A thread stands still at once, or when it comes to a method.

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
CLASSES, METHODS, SET_REQUEST, EVENT = (1, 2), (2, 5), (15, 1), (64, 100)
BREAKPOINT, OF_THREAD, COUNT, LOCATION, CLASS = 2, 1, 1, 7, 1


def options(port: int) -> list[str]:
    """JVM options by which a broker waits for a debugger on the loopback, and runs meanwhile."""
    return [f"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:{port}"]


def _text(text: str) -> bytes:
    return struct.pack(">i", len(text.encode())) + text.encode()


class Debugger:
    """A connection to a JVM. Raises OSError where there is none, ValueError where it answers with an error."""

    def __init__(self, port: int) -> None:
        self._numbers = count(1)
        self._line = socket.create_connection(("127.0.0.1", port), 30)
        self._line.sendall(HANDSHAKE)
        if exactly(self._line, len(HANDSHAKE)) != HANDSHAKE:
            self._line.close()
            raise ValueError("no JVM that can be debugged")
        _fields, self._method_size, self._id_size, self._class_size, _frames = struct.unpack(">5i", self._ask(ID_SIZES))

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

    def stop_at(self, name: str, method: str) -> None:
        """Let the first thread that comes to a method of a class stand still there; the class has to be loaded."""
        found = self._ask(CLASSES, _text(f"L{name.replace('.', '/')};"))
        if struct.unpack_from(">i", found)[0] != 1:
            raise ValueError(f"no class {name}")
        of_class = found[5 : 5 + self._class_size]
        place = self._methods(of_class)[method]
        where = struct.pack(">BB", LOCATION, CLASS) + of_class + place + struct.pack(">q", 0)
        self._ask(SET_REQUEST, struct.pack(">BBi", BREAKPOINT, OF_THREAD, 2) + where + struct.pack(">Bi", COUNT, 1))

    def _methods(self, of_class: bytes) -> dict[str, bytes]:
        answer, at, found = self._ask(METHODS, of_class), 4, {}
        for _ in range(struct.unpack_from(">i", answer)[0]):
            place, at = answer[at : at + self._method_size], at + self._method_size
            texts = []
            for _part in ("name", "signature"):
                (size,) = struct.unpack_from(">i", answer, at)
                texts.append(answer[at + 4 : at + 4 + size].decode())
                at += 4 + size
            found[texts[0]] = place
            at += 4  # its modifiers
        return found

    def await_stop(self, seconds: float) -> None:
        """Return when a thread has come to the method of stop_at. Raises TimeoutError when none does in time."""
        self._line.settimeout(seconds)
        while True:
            size, _number, flags, *command = struct.unpack(">iiBBB", exactly(self._line, 11))
            exactly(self._line, size - 11)
            if not flags & 0x80 and tuple(command) == EVENT:
                return

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
