"""A plain list of clusters: takes a line per cluster, `name host:port,host:port`, gives the clusters.

payments broker-1.example.org:9092,broker-2.example.org:9092 environment=production owner=payments@example.org
orders: SASL_SSL://orders-1.example.org:9093
lab-1.example.org                     # no name: named by its host; no port: 9092
[events]                              # the hosts below are one cluster
events-1.example.org:9092
events-2.example.org:9092
"""

import re
from collections.abc import Iterator

from kafka_fleet.base.addresses import server_problem
from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.text import one_line
from kafka_fleet.discover.documents import MAX_BYTES
from kafka_fleet.discover.found import Found, Listener, Wanted

_KEYS = ("environment", "env", "owner", "owners")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,199}")
_SCHEME = re.compile(r"(PLAINTEXT|SSL|SASL_PLAINTEXT|SASL_SSL|kafka)://(.*)", re.IGNORECASE)
_PORT = 9092


class _Cluster:
    def __init__(self, name: str) -> None:
        self.name, self.servers = name, dict[str, None]()
        self.labels, self.notes = dict[str, str](), list[str]()
        self.security: str | None = None


def _server(text: str, place: str, cluster: _Cluster) -> str:
    if "@" in text:
        raise UsageError(f"{place}: carries a user or password; a fleet file names a connection instead")
    schemed = _SCHEME.fullmatch(text)
    if schemed:
        text = schemed[2].rstrip("/")
        cluster.security = schemed[1].upper() if schemed[1].lower() != "kafka" else cluster.security
    bare = text.startswith("[") and text.endswith("]")
    if bare or ":" not in text:
        note = f"the list gives no port: {_PORT} is assumed"
        cluster.notes += [note] if note not in cluster.notes else []
        text = f"{text}:{_PORT}"
    problem = server_problem(text)
    if problem:
        raise UsageError(f"{place}: a server {problem}; expected: name host:port,host:port")
    return text


def _words(line: str) -> Iterator[str]:
    """Words and servers of a line; commas part servers, with blanks around them or not."""
    for word in line.split():
        yield from (part for part in word.split(",") if part)


def read_hosts(text: str, name: str, _wanted: Wanted) -> tuple[list[Found], list[str]]:
    """The clusters of a list, in its order, and nothing to be said. Raises UsageError with the line."""
    clusters: dict[str, _Cluster] = {}
    opened: _Cluster | None = None
    for number, raw in enumerate(text[:MAX_BYTES].removeprefix("\ufeff").splitlines(), start=1):
        line, place = re.sub(r"(^|\s)#.*$", "", raw).strip(), f"{name}, line {number}"
        if not line:
            opened = opened if raw.strip().startswith("#") else None
            continue
        line = re.sub(r"^([\w.-]+)(\s+[:=]\s+|=(?=\S+:\d)|,(?=\S+:\d))", r"\1: ", line)
        section = re.fullmatch(r"\[([^\]:]+)\]", line)
        first, _, rest = (section[1], "", "") if section else line.partition(" ")
        named = section is not None or _is_name(first, rest)
        words = list(_words(rest if named else line))
        if named:
            plain = first.strip().rstrip(":=,")
            if not _NAME.fullmatch(plain):
                raise UsageError(f"{place}: a name must be letters, digits, dots, hyphens and underscores")
            cluster = clusters.setdefault(plain, _Cluster(plain))
            opened = cluster if not words else None
        elif opened is not None:
            cluster = opened
        else:
            host = re.sub(r"^.*://", "", words[0]).partition(":")[0] if not words[0].startswith("[") else words[0]
            cluster = clusters.setdefault(words[0], _Cluster(host))
        _take(words, place, cluster)
    for cluster in clusters.values():
        if not cluster.servers:
            raise UsageError(f"{name}: {one_line(cluster.name, 80)} has no servers; expected: name host:port,host:port")
    if not clusters:
        raise UsageError(f"{name}: has no clusters; expected lines such as: payments broker-1:9092,broker-2:9092")
    return [_found(key, one) for key, one in clusters.items()], []


def _is_name(first: str, rest: str) -> bool:
    """A first word is a name when it ends in a colon, or when servers follow it and it has no port itself."""
    if first.endswith((":", "=")) and "://" not in first:
        return True
    servers = [word for word in _words(rest) if word.split("=")[0].lower() not in _KEYS]
    return bool(servers) and ":" not in first and "," not in first and not first.startswith("[")


def _take(words: list[str], place: str, cluster: _Cluster) -> None:
    for word in words:
        key, equals, value = word.partition("=")
        if equals:
            if key.lower() not in _KEYS:
                raise UsageError(f"{place}: an unknown key; allowed: {', '.join(_KEYS)}")
            cluster.labels[key.lower()] = f"{cluster.labels[key]} {value}" if key in cluster.labels else value
        elif "@" in word and cluster.labels.get("owners", cluster.labels.get("owner")):
            key = "owners" if "owners" in cluster.labels else "owner"
            cluster.labels[key] += f" {word}"
        else:
            cluster.servers[_server(word, place, cluster)] = None


def _found(key: str, one: _Cluster) -> Found:
    listener = Listener("", list(one.servers), one.security)
    return Found(key, one.name, key, [listener], one.labels, None, one.notes)
