"""Keys of a block of the fleet file: takes what a source knows, gives lines of YAML with what is said of each.

What is not known is FILL-IN, with what to fill in. Texts are quoted by the YAML library: none can end its line.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

from kafka_fleet.base.text import one_line
from kafka_fleet.discover.found import USABLE, Found, Listener, environment_of, owners_of

FILL_IN = "FILL-IN"
_COLUMN = 38  # of a line's comment, without the indentation of the list


class Defaults(NamedTuple):
    """What the command line says where a source does not know it."""

    owners: Sequence[str] = ()
    environment: str | None = None


class Line(NamedTuple):
    """A key of a block as it is written, and what is said of it."""

    text: str
    about: str = ""
    missing: bool = False


def scalar(value: Any) -> str:
    """A text, or a list of texts, on one line of YAML in quotes."""
    dumped = yaml.safe_dump(value, default_style='"', default_flow_style=True, width=10**9)
    return dumped.removesuffix("\n").removesuffix("\n...")


def plain(name: str) -> str:
    """A name without quotes, unless YAML would read something else in it, as in 1, on or null."""
    return name if yaml.safe_load(name) == name else scalar(name)


def login_of(listener: Listener) -> str:
    """What the connection has that a listener asks for: login, password, and its extra as JSON."""
    extra = {"security.protocol": listener.security or FILL_IN}
    if listener.mechanism:
        extra["sasl.mechanism"] = listener.mechanism
    if listener.own_ca and listener.security in ("SSL", "SASL_SSL"):
        extra["ssl.ca.location"] = FILL_IN
    if listener.certificate:
        extra |= {"ssl.certificate.location": FILL_IN, "ssl.key.location": FILL_IN}
    login = "login, password, " if listener.mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512") else ""
    return f"{login}extra {json.dumps(extra)}"


def required_lines(found: Found, entry: dict[str, Any], defaults: Defaults, listener: Listener | None) -> list[Line]:
    """Environment, owners and bootstrap servers; what is known is put into the entry."""
    environment, words = environment_of(found.labels)
    if environment is None and defaults.environment:
        environment, words = defaults.environment, ""  # type: ignore[assignment]
    mails, label = owners_of(found.labels)
    if not mails and defaults.owners:
        mails, label = list(defaults.owners), ""
    servers = list(listener.servers) if listener is not None else []
    lines = []
    for key, value, about, what in (
        ("environment", environment, words, "production, staging or development"),
        ("owners", mails, label, "mail addresses of who gets the letters"),
        ("bootstrap_servers", servers, "", found.servers_from),
    ):
        if value:
            entry[key] = value
            said = f"from {about}" if about else ""
            lines.append(Line(f"{key}: {value if isinstance(value, str) else scalar(value)}", said))
        else:
            written = FILL_IN if key == "environment" else f"[{FILL_IN}]"
            said = f"; there is {about}" if about else ""
            lines.append(Line(f"{key}: {written}", f"fill in {what}{said}", missing=True))
    return lines


def agents_lines(found: Found, entry: dict[str, Any]) -> list[Line]:
    """`jolokia` or `metrics`; what is known is put into the entry."""
    if found.agents is None:
        return [
            Line('# jolokia: {url_template: "http://{host}:8778/jolokia"}', "fill in, or metrics, where there is one")
        ]
    kind, template, brokers, controllers, login = found.agents
    body: dict[str, Any] = {}
    lines = [Line(f"{kind}:")]
    if template is not None:
        body["url_template"] = template
        lines.append(Line(f"  url_template: {scalar(template)}"))
    for key, urls in (("brokers", brokers), ("controllers", controllers)):
        if urls:
            body[key] = dict(urls)
            lines.append(Line(f"  {key}:"))
            lines += [Line(f"    {number}: {scalar(url)}") for number, url in urls.items()]
    if login:
        body["connection"] = f"{kind}_{entry['id'].replace('-', '_')}"
        lines.append(Line(f"  connection: {body['connection']}", "make this connection: login and password"))
    entry[kind] = body
    return lines


def connection_lines(listener: Listener | None, entry: dict[str, Any]) -> list[Line]:
    """`kafka_connection`, where the listener asks for one; its name is put into the entry."""
    if listener is None or (listener.security == "PLAINTEXT" and not listener.mechanism):
        return []
    name = f"kafka_{entry['id'].replace('-', '_')}"
    if listener.security is None and listener.mechanism is None:
        return [Line(f"# kafka_connection: {name}", "fill in where the listener asks for TLS or a login")]
    if not listener.usable:
        what = f"a connection by {', '.join(USABLE)} or TLS: {listener.mechanism} cannot be used"
        return [Line(f"kafka_connection: {FILL_IN}", f"fill in {what}", missing=True)]
    entry["kafka_connection"] = name
    return [Line(f"kafka_connection: {name}", "make this connection; what it needs is said above")]


def written(line: Line) -> str:
    """A key with its comment, on one line."""
    return f"{line.text:<{_COLUMN}}  # {one_line(line.about, 500)}" if line.about else line.text
