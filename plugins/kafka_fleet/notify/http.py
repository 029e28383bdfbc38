"""One POST to a channel: takes address, headers and JSON, gives what came of it. No sentence has a secret."""

import json
import logging
from contextvars import ContextVar
from typing import Literal, NamedTuple

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
    """deferred: surely not taken, try again; unknown: it may have been."""

    verdict: Verdict
    reason: str


def send(post: Post, ca_file: str | None = None) -> Outcome:
    """Post it once. Redirects are not followed, and no credentials of the machine's are added (.netrc)."""
    mark = _SENDING.set(True)
    try:
        return _send(post, ca_file)
    finally:
        _SENDING.reset(mark)


def _send(post: Post, ca_file: str | None) -> Outcome:
    headers = {"Content-Type": "application/json", "User-Agent": "kafka-fleet-health", **post.headers}
    body = json.dumps(post.body).encode("ascii")
    with requests.Session() as session:
        session.auth = _nobody
        try:
            answer = session.post(
                post.url, data=body, headers=headers, timeout=TIMEOUT, allow_redirects=False, stream=True,
                verify=ca_file or True,
            )  # fmt: skip
        except requests.exceptions.SSLError:
            return Outcome("deferred", "its certificate is not trusted, or it speaks no TLS")
        except (requests.exceptions.ConnectTimeout, requests.exceptions.ProxyError):
            return Outcome("deferred", "it does not answer")
        except requests.exceptions.ConnectionError as error:
            if isinstance(getattr(error.args[0], "reason", None), NewConnectionError | NameResolutionError):
                return Outcome("deferred", "no connection can be made")
            return Outcome("unknown", "the connection was lost before it answered")
        except requests.exceptions.Timeout:
            return Outcome("unknown", f"no answer within {TIMEOUT[1]:g} s")
        except requests.exceptions.RequestException as error:
            return Outcome("refused", f"it cannot be asked ({type(error).__name__})")
        status = answer.status_code
        answer.close()
    if 200 <= status < 300:
        return Outcome("sent", f"answered {status}")
    if status in (429, 503):
        return Outcome("deferred", f"it answered {status}")
    return Outcome("unknown" if status >= 500 else "refused", f"it answered {status}")


def _nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """In place of what requests would take from .netrc."""
    return request
