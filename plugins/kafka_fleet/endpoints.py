"""URLs and addresses from the fleet file: takes text, gives an error sentence or the address it may be used with.

Server-side request forgery is refused twice: when the fleet file is read (the text of the URL) and when the
connection is made (the address that the name resolves to), because a name can resolve differently later.
"""

import ipaddress
import re
import socket
from urllib.parse import urlsplit

_HOST = re.compile(r"^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def forbidden(address: Address) -> str | None:
    """Why this address is never contacted, or None. Loopback and private ranges are allowed: clusters live there."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return forbidden(address.ipv4_mapped)
    if address.is_link_local:
        return "link-local addresses (169.254.0.0/16, fe80::/10) are refused"
    if address.is_multicast or address.is_unspecified or (address.version == 4 and address.is_reserved):
        return "multicast, unspecified and reserved addresses are refused"
    return None


def literal_address(host: str) -> Address | None:
    """The address a host text stands for without asking DNS, also in inet_aton's odd forms such as 2852039166."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    if re.fullmatch(r"[0-9a-fA-Fx.]+", host) and host[0].isdigit():
        try:
            return ipaddress.ip_address(socket.inet_aton(host))
        except OSError:
            return None
    return None


def host_problem(host: str) -> str | None:
    """What is wrong with a host name or address literal, or None."""
    address = literal_address(host)
    if address is not None:
        return forbidden(address)
    if not _HOST.match(host) or ".." in host:
        return "is no host name or address"
    return None


def server_problem(server: str) -> str | None:
    """What is wrong with a bootstrap server text (host:port or [IPv6]:port), or None."""
    host, separator, port = server.rpartition(":")
    if not separator or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        return "must be host:port with a port of 1 to 65535"
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        return "must be host:port, an IPv6 address in brackets"
    return host_problem(host)


def url_problem(url: str) -> str | None:
    """What is wrong with an endpoint URL, or None: http or https, a host, no user, query or fragment."""
    if re.search(r"[\x00-\x20\x7f\\]", url):
        return "must not contain white space, control characters or backslashes"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "is no URL (bad port or brackets)"
    if parts.scheme not in ("http", "https"):
        return "must begin with http:// or https://"
    if parts.username is not None or parts.password is not None:
        return "must not carry a user or password; name a connection instead"
    if parts.query or parts.fragment:
        return "must not carry a query or fragment"
    if not parts.hostname:
        return "names no host"
    if port == 0:
        return "port must be 1 to 65535"
    return host_problem(parts.hostname)


def resolve(host: str, port: int) -> Address:
    """The first allowed address of a host; the connection is then made to this address, not to the name again.

    Raises socket.gaierror when the name does not resolve, PermissionError when every address is forbidden.
    """
    reasons: list[str] = []
    for _family, _kind, _protocol, _name, sockaddr in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = ipaddress.ip_address(str(sockaddr[0]).split("%")[0])
        reason = forbidden(address)
        if reason is None:
            return address
        reasons.append(reason)
    raise PermissionError(f"{host}: {reasons[0] if reasons else 'no address'}")
