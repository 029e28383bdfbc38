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
ID_SIZES, ALL_THREADS, CLASSES, METHODS = (1, 7), (1, 4), (1, 2), (2, 5)
NAME, SUSPEND, RESUME, INTERRUPT = (11, 1), (11, 2), (11, 3), (11, 11)
REQUEST, BREAKPOINT, OF_THE_THREAD, COUNTED, AT_A_PLACE, CLASS = (15, 1), 2, 1, 1, 7, 1


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
        self._events: list[bytes] = []
        sizes = struct.unpack_from(">5i", self._ask(ID_SIZES))
        self._method_size, self._id_size, self._class_size = sizes[1:4]

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
            answered, code, answer = self._packet()
            if answered == number:
                if code:
                    raise ValueError(f"JDWP error {code} for command {command}")
                return answer

    def _packet(self) -> tuple[int | None, int, bytes]:
        """The next one: the number of what it answers, its error, its body. No number: an event, which is kept."""
        size, answered, flags, code = struct.unpack(">iiBH", exactly(self._line, 11))
        body = exactly(self._line, size - 11)
        if flags & 0x80:
            return answered, code, body
        self._events.append(body)
        return None, 0, body

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

    def hold_at(self, class_name: str, method: str) -> None:
        """Let the first thread that begins a method stand still there. Raises LookupError where it is not loaded."""
        signature = f"L{class_name.replace('.', '/')};".encode()
        found = self._ask(CLASSES, struct.pack(">i", len(signature)) + signature)
        if found[:4] != struct.pack(">i", 1):
            raise LookupError(f"{class_name} is not loaded, or by several")
        loaded = found[5 : 5 + self._class_size]
        place = struct.pack(">B", CLASS) + loaded + self._method(loaded, method) + struct.pack(">q", 0)
        once = struct.pack(">BBiBiB", BREAKPOINT, OF_THE_THREAD, 2, COUNTED, 1, AT_A_PLACE)
        self._ask(REQUEST, once + place)

    def _method(self, loaded: bytes, name: str) -> bytes:
        answer, place = self._ask(METHODS, loaded), 4
        for _ in range(*struct.unpack_from(">i", answer)):
            own, place = answer[place : place + self._method_size], place + self._method_size
            texts = []
            for _text in ("name", "signature"):
                (length,) = struct.unpack_from(">i", answer, place)
                texts.append(answer[place + 4 : place + 4 + length].decode())
                place += 4 + length
            place += 4  # modifiers
            if texts[0] == name:
                return own
        raise LookupError(f"no method {name}")

    def held(self, seconds: float) -> bytes | None:
        """The thread that has come to the place of hold_at, waited for so long; None: none has."""
        self._line.settimeout(seconds)
        try:
            while not self._events:
                self._packet()
        except TimeoutError:
            return None
        finally:
            self._line.settimeout(30)
        # suspend policy, count, kind, request, thread
        return self._events.pop(0)[10 : 10 + self._id_size]

    def resume(self, thread: bytes) -> None:
        """Let a thread go on."""
        self._ask(RESUME, thread)

    def interrupt(self, name: str) -> int:
        """Interrupt the threads whose name matches; how many they are."""
        matching = self.named(name)
        for one in matching:
            self._ask(INTERRUPT, one)
        return len(matching)

    def named(self, name: str) -> list[bytes]:
        """The threads whose name matches, in the order in which they were made."""
        return sorted(one for one, called in self.threads().items() if re.search(name, called))
