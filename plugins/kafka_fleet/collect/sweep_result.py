"""What one sweep of one cluster came to: takes the outcomes of its parts, gives counts and one line."""

from typing import NamedTuple

from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.store.raw.manifests import Manifest


class ClockRanBack(OSError):
    """This machine's clock says a time before that of a sweep which is stored; one sentence."""


class SweepResult(NamedTuple):
    """What one sweep of one cluster came to. `brokers` has broker id, outcome, kind and detail per broker.

    looks: broker id and outcome of each close look, skipped ones too.
    clients: why metrics that clients push were not read, or not all; None: they were, or are not declared.
    manifest: None where it is not stored since it was overtaken by another sweep of the cluster, as `overtaken` says.
    """

    cluster: str
    manifest: Manifest | None
    admin: AdminSweep
    brokers: list[tuple[int, str, str | None, str | None]]
    values: int
    seconds: float
    overtaken: str | None = None
    looks: tuple[tuple[int, str], ...] = ()
    clients: str | None = None

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of brokers per outcome."""
        found = dict.fromkeys(("ok", "partial", "truncated", "failed"), 0)
        for _broker, outcome, _kind, _detail in self.brokers:
            found[outcome] += 1
        return found

    @property
    def all_failed(self) -> bool:
        """True when neither any broker nor the admin protocol answered."""
        return self.admin.outcome == "failed" and all(b[1] == "failed" for b in self.brokers)

    def summary(self) -> str:
        """One line for a log or terminal."""
        if self.overtaken is not None:
            return self.overtaken
        counts = ", ".join(f"{count} {name}" for name, count in self.outcomes.items() if count) or "no broker known"
        faults = "".join(f"; broker {b}: {o}({k})" for b, o, k, _d in self.brokers if o != "ok")
        read = f"{self.values} values in {self.seconds:.2f} s"
        admin = f"admin {self.admin.outcome}" + (f" ({self.admin.detail})" if self.admin.detail else "")
        looks = "".join(f"; close look at broker {broker}: {outcome}" for broker, outcome in self.looks)
        pushed = f"; client metrics: {self.clients}" if self.clients else ""
        return f"{self.cluster}: {counts}; {admin}; {read}{faults}{looks}{pushed}"
