"""Where a cluster's log marks are counted: a Loki that has its logs, or a textfile that node_exporter serves."""

import re
from typing import Annotated

from pydantic import Field

from kafka_fleet.config.field_types import BrokerId, ConnectionId, Strict, Template, Url, checked
from kafka_fleet.knowledge.log_marks import Log

_PLACES = re.compile(r"\{(?:host|broker)\}")


def _selector_problem(text: str) -> str | None:
    """A stream selector of LogQL, with at least one place for a broker's own text, inside of a quoted value."""
    if not re.fullmatch(r"\{[^{}`\r\n]{1,1000}\}", _PLACES.sub("x", text)):
        return 'must be a stream selector of LogQL such as {app="kafka", host="{host}"}'
    quoted = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
    if len(_PLACES.findall(text)) != len(_PLACES.findall(quoted)):
        return "must have {host} and {broker} in quoted values alone"
    return None if _PLACES.search(text) else "must contain {host} or {broker}, or all brokers would have one log"


Selector = Annotated[str, checked(_selector_problem)]


class Loki(Strict):
    """A Loki: its address, and by log the streams of one broker. tenant: X-Scope-OrgID, where it has several."""

    url: Url
    selectors: dict[Log, Selector] = Field(min_length=1)
    connection: ConnectionId | None = None
    tenant: Annotated[str, Field(pattern=r"^[A-Za-z0-9!_.*'()|-]{1,150}$")] | None = None


class Textfile(Strict):
    """Where node_exporter serves what the script on the host wrote: a URL per broker, and/or one over its host."""

    brokers: dict[BrokerId, Url] = Field(default_factory=dict)
    url_template: Template | None = None
    connection: ConnectionId | None = None


class LogMarks(Strict):
    """Exactly one of the two."""

    loki: Loki | None = None
    textfile: Textfile | None = None

    @property
    def connection(self) -> str | None:
        """The connection that holds its credentials, by id; None: it asks without any."""
        source = self.loki or self.textfile
        return source.connection if source else None
