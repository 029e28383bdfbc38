"""What the oracles of signatures share: takes a home, gives the raw rows of the clusters of one kind."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from facts_oracle import Oracle
from kafka_fleet.store.manifests import manifests, read_rows


class SignatureOracle(Oracle):
    """The raw day of the clusters whose ids begin with `<kind>-`, with further tables beside those of the facts."""

    def __init__(self, home: Path, ds: str, kind: str, limits: Mapping[str, float], tables: tuple[str, ...]) -> None:
        super().__init__(home, ds)
        self.limits = limits
        today = manifests(home, ds)[0]
        before = {m.cluster: m for m in manifests(home, self.ds - timedelta(days=1))[0]}
        sweeps = today + [m for m in before.values() if m.cluster in {t.cluster for t in today}]
        self.raw |= {table: read_rows(home, sweeps, table) for table in tables}
        self.raw = {
            table: [row for row in rows if row["cluster"].startswith(f"{kind}-")] for table, rows in self.raw.items()
        }
        self.metrics = {self._key(row): row for row in self.raw["broker_metrics"]}
