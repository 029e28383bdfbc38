"""What a letter says first of a cause: the block `owner_words` of a signature.yaml, validated.

Each text is a Jinja2 template. It knows what the finding is about, ready to stand in a sentence, and empty where it
names none: `broker` (broker 2), `topic`, `group` (consumer group billing), `listener`, `partition`, `client`;
`one_group` (exactly one is named), `several_groups`, `several_brokers` (more than one is); and each line of the
signature's evidence by its value (`wait_ms` is `half a second`), empty where it was not measured, or nought.
"""

from collections.abc import Collection, Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from kafka_fleet.domain import Severity
from kafka_fleet.knowledge.detection_rows import template

NAMED = ("broker", "topic", "group", "listener", "partition", "client")
KNOWN = frozenset({*NAMED, "one_group", "several_groups", "several_brokers"})
Who = Literal["brokers", "consumers", "producers", "clients", "hosts"]

When = Literal["instead", "before", "after"]


class OwnerFigure(BaseModel):
    """The figure that proves it: a line of evidence by its value, and what stands after the number.

    healthy: what it is on a healthy cluster, a number or another line of evidence; null: the threshold stands there.
    """

    model_config = ConfigDict(extra="forbid")
    value: str
    says: str = Field(min_length=8)
    healthy: float | str | None = None


class OwnerWords(BaseModel):
    """One cause in its owner's words.

    short: for a subject line, of whom and what; what: one sentence on what is wrong; figures: the first that was
    measured is shown; act: what to do; when: before or after an upgrade that ends it, or only instead of one; who: does
    it; severity: of the symptom by itself, where no known issue explains it.
    """

    model_config = ConfigDict(extra="forbid")
    short: str = Field(min_length=8)
    what: str = Field(min_length=20)
    figures: list[OwnerFigure] = Field(min_length=1)
    act: str = Field(min_length=20)
    when: When = "instead"
    who: Who
    severity: Severity

    @property
    def texts(self) -> Iterator[str]:
        """Its templates."""
        yield from (self.short, self.what, self.act, *(one.says for one in self.figures))

    def check(self, values: Collection[str]) -> None:
        """Raises ValueError where a template names what a finding has not. values: of the signature's evidence."""
        for text in self.texts:
            if unknown := sorted(template(text).names - KNOWN - set(values)):
                raise ValueError(f"owner_words {text!r}: no such subject or line of evidence: {', '.join(unknown)}")
        for one in self.figures:
            for name in (one.value, one.healthy):
                if isinstance(name, str) and name not in values:
                    raise ValueError(f"owner_words: no such line of evidence: {name}")
