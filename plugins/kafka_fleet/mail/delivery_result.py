"""What one delivery did: takes what became of each address, gives one line for the log and what is left to do."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class DeliveryResult:
    """What one call did. Addresses that need attention carry a sentence; only a dry run fills `due`.

    unchanged_since: the day of the last letter, where nothing changed and so none was composed.
    """

    cluster: str
    ds: str
    message_id: str
    subject: str
    revised: bool
    sent: list[str] = field(default_factory=list)
    already: list[str] = field(default_factory=list)
    due: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    deferred: dict[str, str] = field(default_factory=dict)
    uncertain: dict[str, str] = field(default_factory=dict)
    error: str | None = None
    permanent: bool = False
    unchanged_since: str | None = None

    @property
    def ok(self) -> bool:
        """Nothing is left to do or to look at."""
        return not (self.refused or self.deferred or self.uncertain or self.error)

    @property
    def retryable(self) -> bool:
        """Whether the same call, made after the lease, may get further."""
        return bool(self.deferred) and not self.permanent

    def summary(self) -> str:
        """One line for the log and the terminal."""
        parts = [f"{self.cluster} {self.ds}:"]
        for word, names in (("sent to", self.sent), ("has it already:", self.already), ("would go to", self.due)):
            parts += [f"{word} {', '.join(names)};"] if names else []
        for word, reasons in (("refused", self.refused), ("not sent yet", self.deferred), ("unclear", self.uncertain)):
            parts += [f"{word} {name}: {reason};" for name, reason in reasons.items()]
        parts += [f"{self.error};"] if self.error else []
        if self.unchanged_since:
            parts.append(f"nothing changed since the letter of {self.unchanged_since}, so none is sent")
        return " ".join(parts).rstrip(";")


def join_results(results: Sequence[DeliveryResult]) -> DeliveryResult:
    """The deliveries of one letter as one: owners who know different things get it with different first parts."""
    first, *rest = results
    for one in rest:
        first.revised |= one.revised
        first.sent += one.sent
        first.already += one.already
        first.due += one.due
        first.refused |= one.refused
        first.deferred |= one.deferred
        first.uncertain |= one.uncertain
        first.error, first.permanent = first.error or one.error, first.permanent or one.permanent
    return first
