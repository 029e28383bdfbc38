"""In come an address and a number; that many Kafka connections are held, and each comes back as soon as it is cut.

python -m support.live.reconnecting HOST PORT CONNECTIONS

Every connection asks ApiVersions and Metadata, as a client does first, then stays open. After a cut each tries again
every 0.25 s, like a Java client between its backoffs.
"""

import asyncio
import struct
import sys

RETRY_S = 0.25
API_VERSIONS, METADATA = 18, 3


def request(api: int, version: int, correlation: int, body: bytes = b"") -> bytes:
    """One request of the Kafka protocol with a header of version 1, its length in front."""
    client = b"reconnecting"
    header = struct.pack(">hhih", api, version, correlation, len(client)) + client
    return struct.pack(">i", len(header) + len(body)) + header + body


async def answered(reader: asyncio.StreamReader, correlation: int) -> None:
    """Read one answer to its end; another correlation id than asked for is a ValueError."""
    (length,) = struct.unpack(">i", await reader.readexactly(4))
    payload = await reader.readexactly(length)
    if struct.unpack(">i", payload[:4])[0] != correlation:
        raise ValueError("the answer belongs to another request")


class Crowd:
    """So many connections to one broker, and how often any of them was made."""

    def __init__(self, host: str, port: int, connections: int) -> None:
        self.host, self.port, self.connections = host, port, connections
        self.open = self.made = 0

    async def hold(self) -> None:
        """One connection, for ever: connect, ask, wait for the cut, begin again."""
        while True:
            writer = None
            try:
                reader, writer = await asyncio.open_connection(self.host, self.port)
                writer.write(request(API_VERSIONS, 0, 1))
                await answered(reader, 1)
                writer.write(request(METADATA, 1, 2, struct.pack(">i", -1)))  # -1: all topics
                await answered(reader, 2)
                self.open, self.made = self.open + 1, self.made + 1
                try:
                    await reader.read(1)  # a broker says nothing unasked: this ends with the connection
                finally:
                    self.open -= 1
            except (OSError, EOFError):
                pass  # refused while the broker is down, or cut
            finally:
                if writer:
                    writer.close()
            await asyncio.sleep(RETRY_S)

    async def report(self) -> None:
        """Print `open made` twice a second."""
        while True:
            print(self.open, self.made, flush=True)
            await asyncio.sleep(0.5)

    async def run(self) -> None:
        """Hold all connections until the process ends."""
        await asyncio.gather(self.report(), *(self.hold() for _ in range(self.connections)))


if __name__ == "__main__":
    asyncio.run(Crowd(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])).run())
