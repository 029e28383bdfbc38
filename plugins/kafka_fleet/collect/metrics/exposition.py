"""Prometheus' text format as a stream: takes an answer piece by piece, gives the samples of wanted names.

Of an answer of any size nothing is kept here but its last line, until that ends, and some names of metrics, none of
them long. Wanted samples are handed on, each with labels of bounded length. OpenMetrics is read as well: both write a
sample as name, labels, value and, seldom, a time. What else a line holds is not looked at.
"""

import re
from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from kafka_fleet.collect.connections.http import Failure

LONGEST = 64 * 1024  # bytes of a line
LONG = 1024  # bytes of a name, and of a label's value: Kafka's longest are names of 249 and paths
KEPT = 10_000  # names that are known to be wanted, or not to be
MOST = 1_000_000  # wanted samples; a replica has six
NO_TEXT = "the answer is no text of metrics; is this a metrics endpoint?"
_SAMPLE = re.compile(
    rb'[a-zA-Z_:][a-zA-Z0-9_:]*+(?:[ \t]*+\{((?:[^"{}]|"(?:[^"\\]|\\.)*+")*+)\}[ \t]*+|[ \t]++)([^ \t#{}"]++)'
    rb"(?:[ \t]++(-?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:[eE][+-]?[0-9]{1,2})?))?[ \t\r]*+(?:#.*)?"
)
_LABEL = re.compile(rb'[ \t]*+([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*+=[ \t]*+"((?:[^"\\]|\\.)*+)"[ \t]*+(?:,|$)')
_ESCAPE = re.compile(r"\\(.)")
Wanted = TypeVar("Wanted")


class Sample(NamedTuple):
    """One sample: its labels and value as they are written, and its time, if it has one, in the text's own unit."""

    labels: dict[str, str]
    value: str
    stamp: float | None


def parse_labels(text: bytes) -> dict[str, str] | None:
    """The labels between braces; None where they are none, or one of them is there twice."""
    found: dict[str, str] = {}
    place = 0
    while place < len(text):
        label = _LABEL.match(text, place)
        if label is None:
            return None
        name, value = label[1].decode(), label[2].decode("utf-8", "surrogateescape")
        if name in found:
            return None
        if "\\" in value:
            value = _ESCAPE.sub(lambda one: {"n": "\n"}.get(one[1], one[1]), value)
        found[name] = value
        place = label.end()
    return found


def parse_sample(line: bytes) -> Sample | None:
    """A line as a sample; None where it is none."""
    match = _SAMPLE.fullmatch(line)
    labels = parse_labels(match[1] or b"") if match else None
    if match is None or labels is None:
        return None
    return Sample(labels, match[2].decode("ascii", "replace"), float(match[3]) if match[3] else None)


class Exposition(Generic[Wanted]):
    """Lines of one answer: `feed` takes its pieces, `end` its end. Both raise Failure for what is no such text.

    wanted: by name, in lower case, what `take` is given with its samples. None in their place: the line is broken.
    """

    def __init__(
        self, wanted: Callable[[str], Wanted | None], take: Callable[[str, Wanted, Sample | None], None]
    ) -> None:
        self._wanted, self._take = wanted, take
        self._known: dict[bytes, tuple[str, Wanted] | None] = {}
        self._rest = b""
        self._begun = self._over = False
        self.samples = 0

    def feed(self, piece: bytes) -> None:
        """Take one more piece."""
        lines = (self._rest + piece).split(b"\n")
        self._rest = lines.pop()
        self._lines(lines)
        if len(self._rest) > LONGEST:
            raise Failure("protocol", NO_TEXT if not self._begun else f"a line of more than {LONGEST} bytes")

    def end(self) -> None:
        """Take what is left as the last line."""
        self._lines([self._rest])
        if not self._begun:
            raise Failure("protocol", "the answer is empty")

    def _lines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            if self._over or not line or line[0] == 35 or line.isspace():  # a comment: TYPE, HELP, UNIT
                self._over |= line.startswith(b"# EOF")
                self._begun |= line.startswith(b"#")
                continue
            name = line.partition(b"{")[0].partition(b" ")[0].rstrip()
            if not self._begun:
                if parse_sample(line) is None:
                    raise Failure("protocol", NO_TEXT)
                self._begun = True
            known = self._known.get(name, ())
            if known == ():
                known = self._look_up(name)
            if known:
                self._one(line, known)

    def _look_up(self, name: bytes) -> tuple[str, Wanted] | None:
        text = name.decode("ascii", "replace").lower()
        wanted = self._wanted(text) if len(name) <= LONG else None
        known = (text, wanted) if wanted is not None else None
        if len(name) <= LONG and len(self._known) < (KEPT if known is None else 2 * KEPT):
            self._known[name] = known
        return known

    def _one(self, line: bytes, known: tuple[str, Wanted]) -> None:
        self.samples += 1
        if self.samples > MOST:
            raise Failure("too_large", f"more than {MOST} samples of Kafka's metrics")
        if len(line) > LONGEST:
            raise Failure("protocol", f"a line of more than {LONGEST} bytes")
        sample = parse_sample(line)
        if sample is not None and len(line) > LONG and any(map(_is_long, (*sample.labels, *sample.labels.values()))):
            sample = None
        self._take(*known, sample)


def _is_long(text: str) -> bool:
    return len(text.encode("utf-8", "surrogateescape")) > LONG
