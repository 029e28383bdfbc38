"""What findings are made of, in the order that counts: severity, verdict, state, strength, environment; their keys."""

import hashlib
from collections.abc import Sequence
from typing import Literal, Protocol

Severity = Literal["critical", "high", "medium", "low", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")  # worst first

Verdict = Literal["confirmed", "exposed", "look_alike", "unknown", "not_affected"]
# the worst last
VERDICT_RANK = {"not_affected": 0, "unknown": 1, "exposed": 2, "look_alike": 3, "confirmed": 4}

SignatureState = Literal["detected", "quiet", "not_evaluated"]
Strength = Literal["conclusive", "suggestive"]
ExposureState = Literal["exposed", "not_exposed", "unknown"]

Environment = Literal["production", "staging", "development"]
ENVIRONMENT_RANK = {"production": 0, "staging": 1, "development": 2}  # what is more pressing comes first

GAP = 2.5  # times the usual distance between two sweeps: one sweep that failed is no gap yet

# kinds of subjects that are listed by name, and counted where a list is cut
SUBJECT_KINDS = frozenset({"broker", "controller", "listener", "host", "topic", "group", "client", "producer"})


def severity_rank(severity: str | None) -> int:
    """Place in critical, high, medium, low, info; anything else comes last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


class Named(Protocol):
    """What a finding is named by, wherever it is kept."""

    @property
    def advisory(self) -> str | None:
        """Id of its known issue; None: a symptom that none explains."""

    @property
    def signature(self) -> str | None:
        """Its symptom."""

    @property
    def cause(self) -> str | None:
        """Of the symptom."""


def finding_key(finding: Named) -> str:
    """The same finding has the same key on every day: its advisory, or the symptom and cause that none explains."""
    return finding.advisory or symptom_key(finding.signature, finding.cause)


def symptom_key(signature: str | None, cause: str | None) -> str:
    """The key of a symptom that no advisory explains."""
    return f"symptom {signature} ({cause})"


def fingerprint(cluster: str, finding: Named) -> str:
    """What other programs know a finding by: 32 hexadecimal digits, the same on every day and by every release.

    There is one finding for each advisory and cluster, whatever brokers, topics or groups have it, and one for each
    symptom and cause that no advisory explains. So these ids are all that it is made of: subjects, verdict, release and
    words come and go while the finding is the same one.
    """
    what = [finding.advisory] if finding.advisory else [finding.signature or "", finding.cause or ""]
    return hashlib.sha256("\0".join([cluster, *what]).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def added_subjects(was: Sequence[str], now: Sequence[str]) -> list[str]:
    """Brokers, topics, groups and clients that are named now and were not; none of a kind that was cut short before."""
    short = {text.rsplit(" ", 1)[-1].rstrip("s") for text in was if text.startswith("and ")}
    known = set(was)
    return [
        text
        for text in now
        if text not in known and (kind := text.partition(" ")[0]) in SUBJECT_KINDS and kind not in short
    ]
