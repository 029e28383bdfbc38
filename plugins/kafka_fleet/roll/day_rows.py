"""What a day has of one cluster's restarts: rows of its facts, and the few raw rows that no fact keeps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa

from kafka_fleet.store.raw.newest_sweep import SweepTables

Row = dict[str, Any]
# of broker_metrics, for each sweep of the day and the one before it
METRICS = ("broker", "release", "jvm_start_ms", "under_min_isr_partitions", "completed_rebalances")
LAST = {"sweeps": (), "topics": ("topic", "partition", "leader", "replicas", "isr")}


@dataclass(frozen=True)
class DayRows:
    """facts: rows of a fact table in some columns, None where the day was judged without it. metrics: METRICS.

    last: metadata of the day's last sweep; None where it has none.
    """

    facts: Callable[[str, Sequence[str]], list[Row] | None]
    metrics: pa.Table
    last: SweepTables | None

    def sweeps_with_topics(self) -> list[datetime]:
        """Sweeps that read the in-sync sets, in their order."""
        rows = self.facts("cluster_sweeps", ("sweep_at", "topics_read")) or []
        return sorted(one["sweep_at"] for one in rows if one["topics_read"])
