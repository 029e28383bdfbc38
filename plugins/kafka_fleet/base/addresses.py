"""URLs and addresses from the fleet file: takes text, gives an error sentence or the address it may be used with.

Server-side request forgery is refused twice: when the fleet file is read (the text of the URL) and when the
connection is made (the address that the name resolves to), because a name can resolve differently later.
"""

import ipaddress
import re
import socket
from urllib.parse import urlsplit

_HOST = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# where clouds hand out credentials or settings of machines, beside the link-local 169.254.169.254
_METADATA = [
    ipaddress.ip_network(one)
    for one in (
        "fd00:ec2::/32",  # AWS over IPv6: instance metadata at ::254, credentials of EKS pods at ::23
        "fd20:ce::254/128",  # Google
        "fd00:42::42/128",  # Scaleway
        "168.63.129.16/32",  # Azure: WireServer
        "100.100.100.200/32",  # Alibaba
        "192.0.0.192/32",  # Oracle
    )
]
# IPv6 prefixes of 96 bits with an IPv4 address behind them: NAT64 (RFC 6052), SIIT (RFC 2765), and the old ::a.b.c.d
_BEHIND_96 = [ipaddress.IPv6Network(one) for one in ("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")]
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")  # RFC 8215: a site takes its prefix of any length out of it
_LOCAL_BYTES = ((12, 13, 14, 15), (6, 7, 9, 10), (7, 9, 10, 11), (9, 10, 11, 12))  # /96, /48, /56, /64: RFC 6052


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for: mapped, 6to4, NAT64, SIIT, or the old ::a.b.c.d."""
    found = address.ipv4_mapped or address.sixtofour
    if found is None and int(address) > 1 and any(address in network for network in _BEHIND_96):
        found = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return found


def _inner(address: Address) -> list[ipaddress.IPv4Address]:
    """Each IPv4 address that one of local NAT64 may stand for: the address does not tell how long its prefix is."""
    if not isinstance(address, ipaddress.IPv6Address) or address not in _LOCAL_NAT64:
        return []
    return [ipaddress.IPv4Address(bytes(address.packed[place] for place in places)) for places in _LOCAL_BYTES]


def _gives_credentials(address: Address) -> str | None:
    if address.is_link_local:
        return "link-local addresses (169.254.0.0/16, fe80::/10) are refused"
    metadata = any(address in network for network in _METADATA)
    return "addresses of cloud metadata services are refused" if metadata else None


def forbidden(address: Address) -> str | None:
    """Why this address is never contacted, or None. Loopback and private ranges are allowed: clusters live there."""
    for maybe in _inner(address):
        if (reason := _gives_credentials(maybe)) is not None:
            return reason
    embedded = _embedded(address) if isinstance(address, ipaddress.IPv6Address) else None
    if embedded is not None:
        return forbidden(embedded)
    if (reason := _gives_credentials(address)) is not None:
        return reason
    if address.is_multicast or address.is_unspecified or (address.version == 4 and address.is_reserved):
        return "multicast, unspecified and reserved addresses are refused"
    return None


def literal_address(host: str) -> Address | None:
    """The address a host text stands for without asking DNS, also in inet_aton's odd forms such as 2852039166."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    if re.fullmatch(r"[0-9a-fA-FxX.]+", host) and host[0].isdigit():
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
    if not _HOST.fullmatch(host) or ".." in host:
        return "is no host name or address"
    return None


def server_problem(server: str) -> str | None:
    """What is wrong with a bootstrap server text (host:port or [IPv6]:port), or None."""
    host, separator, port = server.rpartition(":")
    if not separator or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        return "must be host:port with a port of 1 to 65535"
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        if ":" not in host:
            return "brackets are for IPv6 addresses only"
    elif ":" in host:
        return "must be host:port, an IPv6 address in brackets"
    return host_problem(host)


def url_problem(url: str) -> str | None:
    """What is wrong with an endpoint URL, or None: http or https, a host, no user, query or fragment."""
    if re.search(r"[\x00-\x20\x7f\\]", url):
        return "must not contain white space, control characters or backslashes"
    if "@" in url:
        return "must not carry a user or password; name a connection instead"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "is no URL (bad port or brackets)"
    if parts.scheme not in ("http", "https"):
        return "must begin with http:// or https://"
    if "?" in url or "#" in url:
        return "must not carry a query or fragment"
    if not parts.hostname:
        return "names no host"
    if port == 0:
        return "port must be 1 to 65535"
    if any(part in (".", "..") for part in parts.path.replace("%2e", ".").replace("%2E", ".").split("/")):
        return "must not have . or .. in its path"
    return host_problem(parts.hostname)


def resolve(host: str, port: int) -> list[Address]:
    """The allowed addresses of a host; the connection is then made to one of them, not to the name again.

    Raises socket.gaierror when the name does not resolve, PermissionError when every address is forbidden.
    """
    allowed: list[Address] = []
    reasons: list[str] = []
    for _family, _kind, _protocol, _name, sockaddr in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = ipaddress.ip_address(str(sockaddr[0]).split("%")[0])
        reason = forbidden(address)
        if reason is not None:
            reasons.append(reason)
        elif address not in allowed:
            allowed.append(address)
    if not allowed:
        raise PermissionError(f"{host}: {reasons[0] if reasons else 'no address'}")
    return allowed
