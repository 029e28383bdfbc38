"""Agents of a JVM by its options: takes texts with `-javaagent:…`, gives the ports of Jolokia and of the JMX exporter.

Options of an agent may hold a password: nothing but port, protocol and whether it asks for a login is taken.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

JOLOKIA_PORT = 8778  # unless its options name another
_AGENT = re.compile(r"-javaagent:(?P<jar>[^=\s\"']{1,300})(?:=(?P<options>[^\s\"']{0,2000}))?")
_EXPORTER = re.compile(r"(?:\[[0-9a-fA-F:]+\]:|[\w.-]+:)?(?P<port>[0-9]{1,5}):")


class JavaAgent(NamedTuple):
    """kind: `jolokia` or `metrics`; path: of its URL."""

    kind: str
    port: int
    scheme: str
    path: str
    login: bool = False


def java_agents(texts: Iterable[str]) -> list[JavaAgent]:
    """Each agent that a sweep can read, Jolokia first."""
    found = []
    for text in texts:
        for one in _AGENT.finditer(text):
            jar, options = one["jar"].rpartition("/")[2].lower(), one["options"] or ""
            if "jolokia" in jar:
                said = dict(part.split("=", 1) for part in options.split(",") if "=" in part)
                port = said.get("port", str(JOLOKIA_PORT))
                if port.isascii() and port.isdigit():
                    scheme = "https" if said.get("protocol") == "https" else "http"
                    found.append(JavaAgent("jolokia", int(port[:5]), scheme, "/jolokia", "user" in said))
            elif "jmx_prometheus" in jar or "jmx-exporter" in jar or "jmx-prometheus" in jar:
                matched = _EXPORTER.match(options)
                if matched:
                    found.append(JavaAgent("metrics", int(matched["port"]), "http", "/metrics"))
    return sorted(found, key=lambda agent: agent.kind != "jolokia")
