"""Parts of a signature.yaml: lines of evidence, look-alikes, advice, and what rows of the queries become."""

import re

from pydantic import BaseModel, ConfigDict, Field

from kafka_fleet.base.validation_errors import unknown_name
from kafka_fleet.knowledge.log_marks import log_marks
from kafka_fleet.schema.mbeans import mbean_of

_LOG = "log"
_ELSEWHERE = {
    "admin": "Kafka protocol",
    "host": "node_exporter",
    "agent": "Jolokia",
    "tls": "TLS handshake",
    "client": "client metrics (KIP-714)",
}


def named_mbean(text: str) -> str:
    """Where a number was read, as an owner looks it up. Raises ValueError for what is none of these.

    `table.column` or `table.column[part]` of mbeans.yaml gives the MBean's object name; `admin:<request and field>`,
    `host:<metric>`, `agent:<field>` and `tls:<what>` name what was read over the Kafka protocol, from node_exporter,
    beside the values in an agent's answer, and in the handshake with an address; `client:<metric>` what clients push
    by KIP-714; `log:<mark>` a line of a log.
    """
    kind, _, rest = text.partition(":")
    if kind in _ELSEWHERE and rest.strip():
        return f"{_ELSEWHERE[kind]}: {rest.strip()}"
    if kind == _LOG:
        mark = log_marks().get(rest)
        if mark is None:
            raise ValueError(unknown_name(f"no such log mark: {rest}", rest, log_marks()))
        return f"log line: {mark.shows}"
    match = re.fullmatch(r"([a-z_]+)\.([a-z0-9_]+)(?:\[(\w+)\])?", text)
    try:
        if match is None:
            raise KeyError(text)
        return mbean_of(match[1], match[2], match[3] or "")
    except KeyError:
        raise ValueError(f"{text}: mbeans.yaml has no such table.column") from None


class EvidenceRow(BaseModel):
    """How one number of the query becomes a line of evidence; `source` is the raw table.column behind it.

    times: columns of its own first and last moment, where they are not those of the detection.
    """

    model_config = ConfigDict(extra="forbid")
    metric: str
    value: str
    unit: str
    source: str
    threshold: dict[str, str] = Field(default_factory=dict)
    times: tuple[str, str] | None = None

    @property
    def mbean(self) -> str:
        """The MBean behind the number, or the request or host metric where it is none."""
        return named_mbean(self.source)


class LookAlike(BaseModel):
    """A healthy or different state that shows a similar picture, and what separates it."""

    model_config = ConfigDict(extra="forbid")
    name: str
    separated_by: str


class Advice(BaseModel):
    """What the owner does or checks when it is detected, of some causes or of all; `command` is one line to copy."""

    model_config = ConfigDict(extra="forbid")
    causes: list[str] = Field(default_factory=list)
    text: str = Field(min_length=12)
    command: str | None = None


class Subjects(BaseModel):
    """Subjects of one kind: a template over a row, `broker {{ broker }}`; of more than `most` the rest is counted.

    The worst come first, unless they are listed `by_name`. Where things of one kind are named in several ways: a
    template of each, in this order.
    """

    model_config = ConfigDict(extra="forbid")
    name: str | list[str]
    most: int = Field(default=15, ge=1)
    by_name: bool = False

    @property
    def names(self) -> list[str]:
        """Its templates."""
        return [self.name] if isinstance(self.name, str) else self.name


class Places(BaseModel):
    """Places of evidence that is of several things: a template over each row; the first of them, joined by commas."""

    model_config = ConfigDict(extra="forbid")
    text: str
    most: int = Field(ge=1)


class BoundList(BaseModel):
    """A bound that is a list: a template over each row that names subjects; of more than `most` the rest is counted."""

    model_config = ConfigDict(extra="forbid")
    text: str
    most: int = Field(ge=1)


class Chart(BaseModel):
    """A picture of the letter: its title is a template over a row of series.sql."""

    model_config = ConfigDict(extra="forbid")
    title: str
    unit: str
    threshold: str | None = None
