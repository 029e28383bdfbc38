"""What a letter's first screen is made of: lines whose parts may be links, the trouble on top, how short it is kept.

Both twins, HTML and text, and a cluster's page are drawn from this one object.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kafka_fleet.config.acknowledgements import Acknowledgement
from kafka_fleet.documents.finding import FindingRow
from kafka_fleet.report.changes import Changes
from kafka_fleet.report.finding_addresses import finding_url
from kafka_fleet.report.owner_sentences import Proof

MOST_IDS = 5  # of known issues that a letter names, all parts together; the others are counted
Kind = Literal["confirmed", "look_alike", "exposed", "healthy", "unreached", "not_judged"]
MOST_WORDS: dict[Kind, int] = {
    "confirmed": 300,
    "look_alike": 150,
    "exposed": 150,
    "healthy": 150,
    "not_judged": 150,
    "unreached": 60,
}
Standing = Mapping[str, tuple[Acknowledgement, str | None]]  # of today's findings: acknowledgement, why it is void


class Span(NamedTuple):
    """A part of a line; url: where it leads, or empty."""

    text: str
    url: str = ""


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of texts and links."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts if part)


def text_of(parts: Line) -> str:
    """A line without its links."""
    return "".join(part.text for part in parts)


def few(text: str, most: int) -> str:
    """Whole sentences of a text, as many as have at most `most` words together; of a longer first one its beginning."""
    kept: list[str] = []
    for sentence in text.replace(". ", ".\0").split("\0"):
        if kept and len(" ".join([*kept, sentence]).split()) > most:
            break
        kept.append(sentence)
    words = " ".join(kept).split()
    return " ".join(words) if len(words) <= most else f"{' '.join(words[:most]).rstrip(',;:')} …"


@dataclass(frozen=True)
class Brevity:
    """How much is said: names of a kind and characters of each, words of a text, other findings, changes of a kind.

    extras: the most pressing exposure, issues that an upgrade closes, and what would decide what is undecided. roll:
    whether a roll could have begun.
    """

    names: int
    name: int
    words: int
    others: int
    changes: int
    notes: int
    extras: bool = True
    roll: bool = False


# the first with which a letter has no more words than it may
BREVITIES = (
    Brevity(names=2, name=40, words=45, others=3, changes=3, notes=4, roll=True),
    Brevity(names=2, name=40, words=45, others=3, changes=3, notes=4),
    Brevity(names=2, name=32, words=28, others=2, changes=2, notes=3),
    Brevity(names=1, name=28, words=18, others=1, changes=1, notes=2),
    Brevity(names=2, name=32, words=28, others=2, changes=1, notes=2, extras=False),
    Brevity(names=1, name=20, words=10, others=0, changes=1, notes=1, extras=False),
    Brevity(names=1, name=12, words=6, others=0, changes=0, notes=0, extras=False),
)


@dataclass(frozen=True)
class News:
    """What only a mail knows: changes since the last one, acknowledgements, and when the cluster was last measured.

    changes None: nothing is compared, as on a page. faults: entries of the acknowledgements that are not valid.
    last_measured: the latest day before this one on which any of it answered; None: none that is known.
    page: address of the page that ids and counts lead to; empty: they lead nowhere.
    """

    changes: Changes | None = None
    standing: Standing = field(default_factory=dict)
    faults: Sequence[str] = ()
    last_measured: str | None = None
    page: str = ""

    @property
    def accepted(self) -> frozenset[str]:
        """Keys of findings whose acknowledgement holds."""
        return frozenset(key for key, (_one, void) in self.standing.items() if void is None)


class Ids:
    """Ids that a letter may still name: each counts once, wherever it stands."""

    def __init__(self, page: str, cluster: str, ds: str, most: int = MOST_IDS) -> None:
        self._page, self._cluster, self._ds, self._most = page, cluster, ds, most
        self._named: set[str] = set()

    def take(self, key: str) -> bool:
        """Whether this id may be named; it counts from now on."""
        if key not in self._named and len(self._named) >= self._most:
            return False
        self._named.add(key)
        return True

    def named(self, keys: Sequence[str], most: int) -> list[str]:
        """The first of these that may be named, at most `most`."""
        found: list[str] = []
        for key in keys:
            if len(found) < most and self.take(key):
                found.append(key)
        return found

    def span(self, finding: FindingRow, text: str) -> Span:
        """A link to a finding."""
        return Span(text, finding_url(self._page, self._cluster, finding, self._ds))


@dataclass(frozen=True)
class Trouble:
    """What is wrong, and all that it takes to act. do, who, when, meanwhile: sentences, or empty."""

    what: Line
    verdict: str
    proof: Proof | None
    do: str
    who: str
    when: str
    meanwhile: str
    note: str


@dataclass(frozen=True)
class FirstScreen:
    """A cluster's day in thirty seconds, in reading order.

    headline: a sentence, where no trouble says it. also: other findings that were measured. facts: labelled lines of a
    cluster that was not reached. since: heading and lines of what changed. exposure: what it is exposed to that weighs
    most here. roll: whether one could have begun at the last sweep. coverage: what was measured, in one line. page: the
    cluster's, or empty.
    """

    ds: str
    cluster: str
    environment: str
    kind: Kind
    headline: str
    trouble: Trouble | None
    also: tuple[Line, ...]
    facts: tuple[tuple[str, str], ...]
    since: tuple[str, tuple[Line, ...]]
    exposure: Line
    upgrade: tuple[Line, ...]
    roll: Line
    coverage: Line
    page: str
