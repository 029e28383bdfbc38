"""One request to a channel: takes address, headers and JSON, gives what came of it. No sentence has a secret."""

import json
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple

import requests
from urllib3.exceptions import NameResolutionError, NewConnectionError

from kafka_fleet.notify.bodies import Post

TIMEOUT = (10.0, 30.0)  # s to connect, and to wait for an answer
Verdict = Literal["sent", "refused", "deferred", "unknown"]


_SENDING: ContextVar[bool] = ContextVar("sending", default=False)


def _is_quiet(_record: logging.LogRecord) -> bool:
    """urllib3 logs the path of each request at level DEBUG, and a channel's path is its secret."""
    return not _SENDING.get()


for _name in ("urllib3.connectionpool", "urllib3.util.retry"):
    logging.getLogger(_name).addFilter(_is_quiet)


class Outcome(NamedTuple):
    """deferred: surely not taken, try again; unknown: it may have been. note: what is said of one that was taken."""

    verdict: Verdict
    reason: str
    note: str = ""


class Answer(NamedTuple):
    """What was answered. body: its first bytes, as many as were asked for."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def send(post: Post, ca_file: str | None = None) -> Outcome:
    """Post it once. Redirects are not followed, and no credentials of the machine's are added (.netrc)."""
    answer = exchange("POST", post.url, post.headers, post.body, ca_file)
    if isinstance(answer, Outcome):
        return answer
    status = answer.status
    if 200 <= status < 300:
        return Outcome("sent", f"answered {status}")
    if status in (429, 503):
        return Outcome("deferred", f"it answered {status}")
    return Outcome("unknown" if status >= 500 else "refused", f"it answered {status}")


def exchange(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any] | None,
    ca_file: str | None,
    most: int = 0,
) -> Answer | Outcome:
    """One request and its answer, of whose body at most `most` bytes are read; an Outcome where none came.

    Redirects are not followed, and no credentials of the machine's are added (.netrc).
    """
    mark = _SENDING.set(True)
    try:
        return _exchange(method, url, headers, body, ca_file, most)
    finally:
        _SENDING.reset(mark)


def _exchange(
    method: str, url: str, headers: Mapping[str, str], body: Mapping[str, Any] | None, ca_file: str | None, most: int
) -> Answer | Outcome:
    sent = {"Content-Type": "application/json", "User-Agent": "kafka-fleet-health", **headers}
    data = None if body is None else json.dumps(body).encode("ascii")
    with requests.Session() as session:
        session.auth = _nobody
        try:
            answer = session.request(
                method, url, data=data, headers=sent, timeout=TIMEOUT, allow_redirects=False, stream=True,
                verify=ca_file or True,
            )  # fmt: skip
            content = b""
            for part in answer.iter_content(65_536) if most else ():
                content += part
                if len(content) >= most:
                    break
        except requests.exceptions.SSLError:
            return Outcome("deferred", "its certificate is not trusted, or it speaks no TLS")
        except (requests.exceptions.ConnectTimeout, requests.exceptions.ProxyError):
            return Outcome("deferred", "it does not answer")
        except (requests.exceptions.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            if isinstance(getattr(error.args[0], "reason", None), NewConnectionError | NameResolutionError):
                return Outcome("deferred", "no connection can be made")
            return Outcome("unknown", "the connection was lost before it answered")
        except requests.exceptions.Timeout:
            return Outcome("unknown", f"no answer within {TIMEOUT[1]:g} s")
        except requests.exceptions.RequestException as error:
            return Outcome("refused", f"it cannot be asked ({type(error).__name__})")
        answer.close()
    return Answer(answer.status_code, answer.headers, content[:most])


def _nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """In place of what requests would take from .netrc."""
    return request
