"""A test's own HTTP server on loopback: takes its handler, gives its URL for the length of the block."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qsl, urlsplit

Form = list[tuple[str, str]]


class QuietHandler(BaseHTTPRequestHandler):
    """Logs no request: pytest shows what matters."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], certificate: tuple[Path, Path] | None = None) -> Iterator[str]:
    """Serve on a free port of 127.0.0.1, each request in a thread; the server is closed at the end.

    certificate: files of it and of its key, to serve over TLS.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(10)


@contextmanager
def answering(answer: Callable[[str, Form, dict[str, str]], tuple[int, bytes]]) -> Iterator[str]:
    """Serve what is asked by a form, in the body or the address: path, form and headers give status and body."""

    class Handler(QuietHandler):
        def _any(self) -> None:
            parts = urlsplit(self.path)
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode() or parts.query
            status, body = answer(parts.path, parse_qsl(text), dict(self.headers))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _any

    with serving(Handler) as url:
        yield url
