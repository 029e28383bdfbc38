"""What came of a message: takes a status or the error of a library, gives a verdict and a sentence without a secret."""

import ssl
from collections.abc import Callable
from http.client import InvalidURL
from typing import Literal, NamedTuple
from urllib.error import URLError

import requests
from urllib3.exceptions import HTTPError, NameResolutionError, NewConnectionError

TIMEOUT = (10.0, 30.0)  # s to connect, and to wait for an answer
AGENT = "kafka-fleet-health"
Verdict = Literal["sent", "refused", "deferred", "unknown"]


class Outcome(NamedTuple):
    """deferred: surely not taken, try again; unknown: it may have been. note: what is said of one that was taken."""

    verdict: Verdict
    reason: str
    note: str = ""


class Sender(NamedTuple):
    """One message that is ready. Its address is never printed."""

    url: str
    send: Callable[[], Outcome]

    def __repr__(self) -> str:
        return "Sender(hidden)"


UNTRUSTED = Outcome("deferred", "its certificate is not trusted, or it speaks no TLS")
SILENT = Outcome("deferred", "it does not answer")
UNREACHABLE = Outcome("deferred", "no connection can be made")
LOST = Outcome("unknown", "the connection was lost before it answered")
LATE = Outcome("unknown", f"no answer within {TIMEOUT[1]:g} s")


def unaskable(error: Exception) -> Outcome:
    """Of what no library sends, such as a port that is no number."""
    return Outcome("refused", f"it cannot be asked ({type(error).__name__})")


def of_status(status: int, said: str = "") -> Outcome:
    """What an HTTP status says of a message; a redirect is none that was taken. said: the answer's own words."""
    if 200 <= status < 300:
        return Outcome("sent", f"answered {status}")
    sentence = f"it answered {status}" + (f": {said}" if said else "")
    if status in (429, 503):
        return Outcome("deferred", sentence)
    return Outcome("unknown" if status >= 500 else "refused", sentence)


def of_requests(error: requests.RequestException | HTTPError) -> Outcome:
    """An error of requests, or of urllib3 below it while an answer is read."""
    if isinstance(error, requests.exceptions.SSLError):
        return UNTRUSTED
    if isinstance(error, requests.exceptions.ConnectTimeout | requests.exceptions.ProxyError):
        return SILENT
    if isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError):
        reason = getattr(error.args[0], "reason", None) if error.args else None
        return UNREACHABLE if isinstance(reason, NewConnectionError | NameResolutionError) else LOST
    if isinstance(error, requests.Timeout):
        return LATE
    return LOST if isinstance(error, HTTPError) else unaskable(error)


def of_urllib(error: Exception) -> Outcome:
    """An error of urllib: an URLError while it connects or sends, anything else while it waits for an answer.

    A message is smaller than the buffer of a socket, so that only connecting and TLS can take long before it is sent.
    """
    if not isinstance(error, URLError):
        if isinstance(error, InvalidURL | ValueError):
            return unaskable(error)
        return LATE if isinstance(error, TimeoutError) else LOST
    reason = error.reason
    if isinstance(reason, ConnectionResetError | BrokenPipeError | ConnectionAbortedError | ssl.SSLEOFError):
        return LOST
    if isinstance(reason, ssl.SSLError):
        return UNTRUSTED
    return SILENT if isinstance(reason, TimeoutError) else UNREACHABLE
