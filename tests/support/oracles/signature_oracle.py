"""What the oracles of signatures share: takes a home, gives the raw rows of the clusters of one kind."""

from collections.abc import Mapping
from pathlib import Path

from support.oracles.facts_oracle import Oracle


class SignatureOracle(Oracle):
    """The raw day of the clusters whose ids begin with `<kind>-`, with further tables beside those of the facts.

    beside: names under which such clusters landed, beside the kind's own (tests/support/generators/generated.py).
    """

    def __init__(
        self,
        home: Path,
        ds: str,
        kind: str,
        limits: Mapping[str, float],
        tables: tuple[str, ...],
        beside: tuple[str, ...] = (),
    ) -> None:
        super().__init__(home, ds, tables, landed_as=(kind, *beside))
        self.limits = limits
        self.raw = {
            table: [row for row in rows if row["cluster"].startswith(f"{kind}-")] for table, rows in self.raw.items()
        }
        self.metrics = {self._key(row): row for row in self.raw["broker_metrics"]}
