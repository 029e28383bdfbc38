"""A receiver of OpenTelemetry metrics (OTLP over HTTP): keeps every body that was posted."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple


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

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            """Nothing: pytest shows what matters."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield Sink(server.server_address[1], bodies)
        finally:
            server.shutdown()
