"""An S3 server on loopback: gives its address and one bucket; conditional puts are one step, as S3's are."""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.test import Client

BUCKET, KEY = "fleet", "AKIDTESTS"
REFUSAL = b"<Error><Code>InvalidAccessKeyId</Code><Message>The key id does not exist in our records.</Message></Error>"


class _Quiet(WSGIRequestHandler):
    def log_request(self, *_seen: object) -> None:
        """No line per request."""


class S3Server:
    """moto behind a lock, since it looks at a condition and puts in two steps; knows one key id."""

    def __init__(self) -> None:
        self.url = ""
        self.refused = 0
        # four seconds, which every process of a run would take, since conftest.py reads this module
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

        self._app = DomainDispatcherApplication(create_backend_app)
        self._one_at_a_time = threading.Lock()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if f"Credential={KEY}/" not in environ.get("HTTP_AUTHORIZATION", ""):
            self.refused += 1
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(REFUSAL)))])
            return [REFUSAL]
        with self._one_at_a_time:
            answer: Iterable[bytes] = self._app(environ, start)
            return answer

    def forget(self) -> None:
        """moto keeps its buckets for the life of the process, also when a second server is made in it."""
        Client(self._app).post("/moto-api/reset", base_url="http://127.0.0.1").close()

    def variables(self, secret: str) -> dict[str, str]:
        """What a process needs to use it."""
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": "eu-central-1",
        }


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """A server with the bucket BUCKET for the length of the block."""
    import boto3

    found = S3Server()
    server = make_server("127.0.0.1", 0, found, threaded=True, request_handler=_Quiet)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        client = boto3.client(
            "s3",
            endpoint_url=found.url,
            aws_access_key_id=KEY,
            aws_secret_access_key="x",
            region_name="eu-central-1",
        )
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        yield found
    finally:
        server.shutdown()
        thread.join(20)
        server.server_close()
        found.forget()


@contextmanager
def also_at(found: S3Server, listening: socket.socket) -> Iterator[str]:
    """The same bucket at another address too, for the length of the block; gives its URL."""
    address, port = listening.getsockname()
    server = make_server(address, port, found, threaded=True, request_handler=_Quiet, fd=listening.fileno())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{address}:{port}"
    finally:
        server.shutdown()
        thread.join(20)
        server.server_close()
        listening.close()
