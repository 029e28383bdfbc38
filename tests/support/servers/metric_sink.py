"""A receiver of OpenTelemetry metrics (OTLP over HTTP): keeps every body that was posted."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from support.servers.serving import QuietHandler, serving


class Sink(NamedTuple):
    """Where it listens on 127.0.0.1, and what came."""

    port: int
    bodies: list[bytes]

    def settings(self) -> dict[str, str]:
        """Airflow's settings to send metrics there."""
        found = {"OTEL_ON": "True", "OTEL_HOST": "127.0.0.1", "OTEL_PORT": str(self.port)}
        return {f"AIRFLOW__METRICS__{name}": value for name, value in found.items()}


@contextmanager
def metric_sink() -> Iterator[Sink]:
    """A sink for the length of the block."""
    bodies: list[bytes] = []

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with serving(Handler) as url:
        yield Sink(int(url.rpartition(":")[2]), bodies)
