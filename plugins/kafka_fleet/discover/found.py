"""What a source knows of a cluster: listeners, agents, environment and owners; and the listener that is proposed."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kafka_fleet.base.text import one_line
from kafka_fleet.domain import Environment

USABLE = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI")  # what the Kafka client here can log in by
SECURITY = ("SASL_SSL", "SSL", "SASL_PLAINTEXT", "PLAINTEXT")  # what is proposed first, first
_ENVIRONMENTS: dict[Environment, tuple[str, ...]] = {
    "production": ("production", "prod", "prd", "live"),
    "staging": ("staging", "stage", "stg", "preprod", "pre-prod", "uat", "test", "qa"),
    "development": ("development", "dev", "lab", "sandbox", "local"),
}
_ENVIRONMENT_LABELS = ("environment", "env", "stage")
_OWNER_LABELS = ("owner", "owners", "owner-email", "contact", "team", "email")
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?")


class Listener(NamedTuple):
    """Where clients connect. security: a security.protocol, None: not known; servers: empty where not known."""

    name: str
    servers: Sequence[str]
    security: str | None = None
    mechanism: str | None = None
    certificate: bool = False  # a client shows one
    brokers: bool = True  # the hosts that it advertises are the brokers' own
    about: str = ""
    own_ca: bool = True  # TLS: its certificates are signed by an authority that systems do not know

    @property
    def usable(self) -> bool:
        """Whether a connection of the fleet file can log in here."""
        return self.mechanism is None or self.mechanism in USABLE

    def words(self) -> str:
        """Its name and how it is spoken to."""
        how = [self.about, self.security or "", self.mechanism or "", "client certificate" if self.certificate else ""]
        return f"{self.name} ({', '.join(part for part in how if part) or 'security not known'})"


class Agents(NamedTuple):
    """How brokers are read: the keys of `jolokia` or `metrics`. login: they ask for one."""

    kind: str
    url_template: str | None = None
    brokers: Mapping[int, str] = {}
    controllers: Mapping[int, str] = {}
    login: bool = False


class Found(NamedTuple):
    """A cluster of a source. origin: what it is called there, in full; longer: the name where `name` is not unique."""

    origin: str
    name: str
    longer: str
    listeners: Sequence[Listener]
    labels: Mapping[str, str] = {}
    agents: Agents | None = None
    notes: Sequence[str] = ()
    servers_from: str = "host:port of a broker"  # what to fill in where no listener has an address
    login_notes: Sequence[str] = ()  # what helps to make the connection
    scope: str = ""  # how the origins of all clusters begin that the text would have; others are not gone


class Wanted(NamedTuple):
    """What the command line chooses. listener: its name at the source."""

    listener: str | None = None


def mechanism_of(names: Sequence[str]) -> str | None:
    """Of the mechanisms that a listener takes, the first that can be used here, else the first; None without any."""
    given = [one.strip().upper() for one in names if one.strip()]
    return next((one for one in given if one in USABLE), given[0] if given else None)


def chosen(listeners: Sequence[Listener], wanted: Wanted) -> Listener | None:
    """The listener that is proposed: the wanted one, else one that works, near the brokers, with the best security."""

    def rank(one: Listener) -> tuple[bool, bool, bool, bool, int]:
        security = SECURITY.index(one.security) if one.security in SECURITY else len(SECURITY)
        return (one.name != wanted.listener, not one.usable, not one.servers, not one.brokers, security)

    return min(listeners, key=rank, default=None)


def _label(labels: Mapping[str, str], names: Sequence[str]) -> tuple[str, str] | None:
    known = {re.sub(r"^.*/", "", key).lower().replace("_", "-"): (key, value) for key, value in labels.items()}
    return next((known[name] for name in names if known.get(name, ("", ""))[1]), None)


def environment_of(labels: Mapping[str, str]) -> tuple[Environment | None, str]:
    """The environment that a label or tag names, and the words on it; the words of one that says something else."""
    found = _label(labels, _ENVIRONMENT_LABELS)
    if found is None:
        return None, ""
    words = f"{one_line(found[0], 60)}: {one_line(found[1], 60)}"
    meant = (name for name, spellings in _ENVIRONMENTS.items() if found[1].strip().lower() in spellings)
    return next(meant, None), words


def owners_of(labels: Mapping[str, str]) -> tuple[list[str], str]:
    """The mail addresses that a label or tag names, and the words on it."""
    addressed = {key: value for key, value in labels.items() if "@" in value}
    found = _label(addressed, _OWNER_LABELS) or _label(labels, _OWNER_LABELS)
    if found is None:
        return [], ""
    mails = [one for one in re.split(r"[\s,;]+", found[1].strip()) if _EMAIL.fullmatch(one)]
    return mails, one_line(found[0], 60) if mails else f"{one_line(found[0], 60)}: {one_line(found[1], 60)}"
