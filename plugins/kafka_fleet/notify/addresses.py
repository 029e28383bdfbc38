"""Where a channel is and what it is shown: takes channel and connection, gives address, login and trust.

Addresses begin with https://; only one of the same machine may do without TLS. Certificates are always checked.
"""

import ipaddress
import re
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase, HTTPBasicAuth

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError, Resolver, http_credentials


class _Shown(AuthBase):
    """A bearer token, or nothing; in any case not what requests would take from .netrc."""

    def __init__(self, token: str | None = None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def connection_of(channel: Channel, resolver: Resolver) -> tuple[Connection, str | None]:
    """The connection of a channel, and its file of CAs. Raises CredentialsError."""
    return resolver(channel.connection), http_credentials(channel.connection, resolver).ca_file


def hosted(connection: Connection) -> Connection:
    """The same connection with scheme and port in its host, so that every hook reads the same address of it."""
    if not connection.host:
        return connection
    url = connection.host if "://" in connection.host else f"{connection.schema or 'https'}://{connection.host}"
    at = urlsplit(url)
    if connection.port and not re.search(r":\d*$", at.netloc):
        url = at._replace(netloc=f"{at.netloc}:{connection.port}").geturl()
    return connection._replace(host=url, schema=None, port=None)


def address(channel: Channel, connection: Connection) -> str:
    """The URL: the password where that is one; else the host, and for Teams the password as its end.

    Raises CredentialsError, whose sentence holds no value.
    """
    password = connection.password or ""
    if "://" in password:
        return safe(channel, password, "password")
    url = hosted(connection).host or ""
    if channel.via != "teams":
        return safe(channel, url)
    whole = f"{url.rstrip('/')}/{password.lstrip('/')}" if password else url
    return safe(channel, whole, "host" if url else "password")


def safe(channel: Channel, url: str, field: str = "host") -> str:
    """The URL. field: of the connection, which has it. Raises CredentialsError where it is none with TLS."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and _here(host))):
        raise CredentialsError(
            f"connection {channel.connection}: its {field} must be an address that begins with https://"
        )
    return url


def _here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def login(channel: Channel, connection: Connection) -> AuthBase:
    """What Jira or a webhook of one's own is shown: login and password, or the password as a bearer token."""
    password = connection.password
    if channel.via not in ("webhook", "jira") or not password or "://" in password:
        return _Shown()
    return HTTPBasicAuth(connection.login.encode(), password.encode()) if connection.login else _Shown(password)


def authorities(connection: Connection, ca_file: str | None) -> str | None:
    """The file of CAs to trust, by `ca_file` or, as Airflow's HTTP connections have it, `verify`; None: the usual ones.

    `verify` false is not heeded.
    """
    verify = connection.extra.get("verify")
    return ca_file or (verify if isinstance(verify, str) and Path(verify).is_file() else None)


def trust(channel: Channel, ca_file: str | None) -> ssl.SSLContext | None:
    """A context that trusts this file alone; None: the system's store. Raises CredentialsError."""
    if ca_file is None:
        return None
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError:  # of which SSLError is one
        raise CredentialsError(f"connection {channel.connection}: ca_file must hold certificates as PEM") from None
