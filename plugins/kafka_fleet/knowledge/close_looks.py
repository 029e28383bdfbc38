"""A close look, as a check asks for it: the block `look` of a signature.yaml, validated.

Two sweeps ten minutes apart cannot tell a burst from steady arrivals. A check that needs to know says here at which
rates of a broker it suspects something, and what the collector then reads of that broker densely for some seconds.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.yaml import load_yaml
from kafka_fleet.knowledge.thresholds import Threshold
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

MOST_S, LEAST_SLOT_MS = 20, 100
FROM_LEADERS = ("high_watermark", "last_stable_offset")  # over Kafka's protocol; everything else is an MBean's
_WHOLE = ("int", "long", "double")
_NAME = r"^[a-z][a-z0-9_]{0,62}$"


class Source(NamedTuple):
    """Where a number is read: its bean with this column alone. Of a pattern the values are added up."""

    bean: Bean
    column: str

    @property
    def table(self) -> str:
        """The raw table that a sweep stores it in."""
        return self.bean.table

    @property
    def fixed(self) -> dict[str, str]:
        """Key columns of that table that the pattern gives a value, such as the request."""
        keys = mbeans.tables()[self.bean.table].keys
        pairs = (pair.partition("=") for pair in self.bean.mbean.partition(":")[2].split(","))
        return {keys[name][0]: value for name, _middle, value in pairs if name in keys and "*" not in value}


def look_source(text: str, keys: tuple[str, ...] | None = None) -> Source:
    """`table.column` or `table.column[part]` of mbeans.yaml; part: text of the pattern that is meant.

    keys: of the table, where only such a table will do. Raises ValueError for what is no number there.
    """
    match = re.fullmatch(r"([a-z_]+)\.([a-z0-9_]+)(?:\[(\w+)\])?", text)
    table = mbeans.tables().get(match[1]) if match else None
    if match is not None and table is not None and (keys is None or tuple(table.keys) == keys):
        for bean in table.beans:
            own = [one for one in bean.columns if one.name == match[2] and one.type in _WHOLE]
            if own and (match[3] or "") in bean.mbean:
                return Source(bean._replace(columns=tuple(own)), match[2])
    kind = f" with one row per {' and '.join(keys)}" if keys else ""
    raise ValueError(f"{text}: mbeans.yaml has no such number{kind}")


class Look(BaseModel):
    """When a check wants to see a broker closely, and what of it.

    when: rates per second of the broker's numbers, all of which must be above their values. broker, topics: a name,
    under which it is stored, and the column of mbeans.yaml; a topic's are of the topics that are read at the broker.
    partitions: columns of the table `partitions`, read from the broker's own replicas, and FROM_LEADERS.
    """

    model_config = ConfigDict(extra="forbid")
    reason: str = Field(min_length=12, max_length=200)
    when: dict[str, Threshold] = Field(min_length=1)
    slot_ms: Threshold
    seconds: Threshold
    broker: dict[str, str] = Field(min_length=1, max_length=20)
    topics: dict[str, str] = Field(default_factory=dict, max_length=5)
    partitions: list[str] = Field(default_factory=list, max_length=5)

    @model_validator(mode="after")
    def _consistent(self) -> "Look":
        for name in (*self.broker, *self.topics):
            if not re.fullmatch(_NAME, name):
                raise ValueError(f"{name[:80]}: a name of small letters, digits and _")
        if unknown := sorted(set(self.when) - set(self.broker)):
            raise ValueError(f"when: not among the numbers of the broker: {', '.join(unknown)}")
        for text in self.broker.values():
            look_source(text)
        for text in self.topics.values():
            look_source(text, ("topic",))
        for name in self.partitions:
            if name not in FROM_LEADERS:
                look_source(f"partitions.{name}")
        if self.seconds.value > MOST_S or self.slot_ms.value < LEAST_SLOT_MS:
            raise ValueError(f"a look takes at most {MOST_S} s, and a reading of it {LEAST_SLOT_MS} ms at least")
        return self


@cache
def asked_looks(folder: Path | None = None) -> dict[str, Look]:
    """What each check that asks for a look wants, by the check's id, sorted. Of other checks nothing is read.

    folder: as of load_signatures, which names the faults of a folder; here what is no look raises ValueError.
    """
    found = {}
    for path in sorted(((folder or sql_dir()) / "signatures").glob("*/signature.yaml")):
        if re.search(r"^look:", path.read_text(encoding="utf-8"), re.MULTILINE):
            found[path.parent.name] = Look.model_validate(load_yaml(path)["look"])
    return found
