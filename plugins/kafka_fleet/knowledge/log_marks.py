"""Log marks: takes log_marks.yaml, gives the lines of logs that are counted, each by its id.

A mark is the only evidence that some fault leaves. Counts, times and one captured number of its lines are stored, and
nothing else of a log.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kafka_fleet.base.yaml import load_yaml

Log = Literal["broker", "cleaner", "kernel"]
LOGS: tuple[Log, ...] = ("broker", "cleaner", "kernel")
# what Kafka puts before a message, by release: [LogLoader partition=t-0, dir=/d] and Partition [t,0] on broker 1:
# nothing else in brackets, such as [Client clientId=...], whose name may hold a bracket and any text behind it
IDENT = (
    r"(?:\[(?:Log|LogLoader|UnifiedLog|Partition) [^\]]{1,4500}\] |Partition \[[^\]]{1,300}\] on broker \d{1,10}: )?"
)
_FILE = Path(__file__).with_name("log_marks.yaml")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Printed(_Strict):
    """The message as the releases print it, and the class, or the kernel, that does."""

    by: str
    releases: str
    text: str


class LogMark(_Strict):
    """One kind of line. shows: how documents name the line; proves: what it says, in a sentence.

    line: expression of the message; find: what a candidate has somewhere; number: what the expression's group captures.
    """

    log: Log
    shows: str = Field(min_length=10, max_length=100)
    proves: str = Field(min_length=12, pattern=r"\.$")
    find: str = Field(min_length=10)
    line: str = Field(min_length=10)
    number: Literal["logs", "ms", "port"] | None = None
    printed: list[Printed] = Field(min_length=1)
    notes: str | None = None

    @property
    def expression(self) -> str:
        """The regular expression of the whole message's begin."""
        return self.line.replace("{ident}", IDENT)

    @model_validator(mode="after")
    def _consistent(self) -> "LogMark":
        pattern = re.compile(self.expression)
        if pattern.groups != (self.number is not None):
            raise ValueError("line: has one group where there is a number, else none")
        if "`" in self.find:
            raise ValueError("find: has no backquote, between which a Loki gets it")
        for one in self.printed:
            if not pattern.match(one.text) or not re.search(self.find, one.text):
                raise ValueError(f"printed: neither line nor find may miss what releases {one.releases} print")
        return self


@cache
def log_marks() -> Mapping[str, LogMark]:
    """Every mark by its id, in the file's order. Raises pydantic.ValidationError for a file that is not valid."""
    content = load_yaml(_FILE)
    return {str(name): LogMark.model_validate(one) for name, one in content.items()}


def marks_of(log: Log) -> tuple[str, ...]:
    """Ids of the marks that one log prints."""
    return tuple(name for name, one in log_marks().items() if one.log == log)
