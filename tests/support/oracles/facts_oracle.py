"""Facts computed a second time, in plain Python: takes the raw rows of a day, gives what Spark should have stored.

It shares nothing with sql/marts but the meaning: one dict per row, keyed like the fact table.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from kafka_fleet.store.raw.manifests import manifests, read_rows

Row = dict[str, Any]
Key = tuple[str, int, datetime]
BROKER_COUNTERS = "expired_consumer_fetches", "isr_expands", "messages_in", "bytes_in", "bytes_out"
TOPIC_COUNTERS = ("messages_in", "bytes_in", "bytes_out", "produce_batches", "fetch_reads")
SELDOM = ("fetch_conversions", "produce_conversions", "remote_copy_errors")  # meters of what happens at few topics
# columns that signatures' own second computations look at: of rewinds, stops, skew and retriable errors
ELSEWHERE = {
    "broker_counters": {
        "kafka_release", "groups", "group_offsets", "offsets_load_ms_max", "offsets_failed", "offsets_loading",
        "cleaner_dead_threads", "cleaner_idle_ms",
        "uncleanable_partitions", "offsets_log_bytes", "from_offsets_log_bytes", "produce_p50_ms", "produce_p99_ms",
        "timed_produces", "produce_mean_ms", "unclean_elections", "invalid_records", "out_of_range", "out_of_order",
        "unknown_producer_ids", "offset_commits", "offset_expirations", "offset_deletions",
        "completed_rebalances", "errors_known",
    },
    "topic_counters": {"failed_batches"},
}  # fmt: skip
START = timedelta(hours=24)
CLOCK = 5  # seconds
TABLES = "brokers", "broker_metrics", "requests", "broker_topics", "partitions", "topics", "sweeps"


class Oracle:
    """The raw day as the jobs may see it: committed sweeps of the day and each cluster's last one of the day before."""

    def __init__(
        self, home: Path, ds: str, tables: Sequence[str] = (), landed_as: Collection[str] | None = None
    ) -> None:
        """landed_as: what those manifests are called that alone are read; None reads all."""
        self.ds = date.fromisoformat(ds)
        today = [m for m in manifests(home, ds)[0] if landed_as is None or m.cluster in landed_as]
        before = {m.cluster: m for m in manifests(home, self.ds - timedelta(days=1))[0]}
        sweeps = today + [m for m in before.values() if m.cluster in {t.cluster for t in today}]
        self.raw = {table: read_rows(home, sweeps, table) for table in dict.fromkeys((*TABLES, *tables))}
        self.metrics = {self._key(row): row for row in self.raw["broker_metrics"]}
        self._by_read: dict[str, dict[Key, list[Row]]] = {}

    @staticmethod
    def _key(row: Row) -> Key:
        return row["cluster"], row["broker"], row["sweep_at"]

    def of_read(self, table: str, key: Key) -> list[Row]:
        """Rows of a raw table that one read of one broker gave."""
        if table not in self._by_read:
            self._by_read[table] = defaultdict(list)
            for row in self.raw[table]:
                self._by_read[table][self._key(row)].append(row)
        return self._by_read[table].get(key, [])

    def intervals(self) -> Iterator[Row]:
        """Pairs of reads of one broker, and process start to first read."""
        reads: dict[tuple[str, int], list[Row]] = defaultdict(list)
        for row in sorted(self.raw["brokers"], key=lambda row: row["sweep_at"]):
            if row["read_at"] is not None and self._key(row) in self.metrics:
                reads[row["cluster"], row["broker"]].append(row)
        for (cluster, broker), rows in reads.items():
            for earlier, later in pairwise([None, *rows]):
                assert later is not None
                if later["sweep_at"].date() != self.ds:
                    continue
                began, ahead = self._process_start(later), later["agent_clock_skew_s"] or 0
                same = earlier is not None and began == self._process_start(earlier)
                began -= timedelta(milliseconds=int(1000 * ahead) if abs(ahead) > CLOCK else 0)
                row = {"cluster": cluster, "broker": broker, "to_sweep": later["sweep_at"], "to_at": later["read_at"]}
                if earlier is not None:
                    first = {"kind": "sweeps", "from_sweep": earlier["sweep_at"], "from_at": earlier["read_at"]}
                    timed = self._timed({**row, **first, "same_process": same})
                    skews = [one["agent_clock_skew_s"] for one in (earlier, later)]
                    slack = CLOCK + (earlier["seconds"] or 0) + (later["seconds"] or 0)
                    clock_set = None not in skews and abs(skews[1] - skews[0]) > slack
                    yield {**timed, "seconds": 0.0} if clock_set else timed
                fresh = earlier is None or began > earlier["read_at"]
                if not same and fresh and later["read_at"] - began < START:
                    first = {"kind": "start", "from_sweep": None, "from_at": began, "same_process": True}
                    yield self._timed({**row, **first})

    def _process_start(self, read: Row) -> datetime:
        row = self.metrics[self._key(read)]
        began = row["jvm_start_ms"] if row["jvm_start_ms"] is not None else row["app_start_ms"]
        return datetime.fromtimestamp(began // 1000, UTC) + timedelta(milliseconds=began % 1000)

    @staticmethod
    def _timed(row: Row) -> Row:
        return {**row, "seconds": (row["to_at"] - row["from_at"]) / timedelta(seconds=1)}

    def broker_intervals(self) -> Iterator[Row]:
        """Intervals, the read before, and whether the second sweep's partitions landed beside the first's log ends."""
        reads: dict[tuple[str, int], list[datetime]] = defaultdict(list)
        for row in self.raw["brokers"]:
            if row["read_at"] is not None and self._key(row) in self.metrics:
                reads[row["cluster"], row["broker"]].append(row["sweep_at"])
        bases = {(row["cluster"], row["sweep_at"]): row["previous_sweep_at"] for row in self.raw["sweeps"]}
        for span in self.intervals():
            base = bases[span["cluster"], span["to_sweep"]]
            earlier = [at for at in reads[span["cluster"], span["broker"]] if at < span["to_sweep"]]
            beside = base is not None and base == span["from_sweep"]
            yield {**span, "before_sweep": max(earlier, default=None), "laid_beside": beside}

    def broker_counters(self) -> Iterator[Row]:
        """What each counter did in intervals of one process; None where a read lacks it."""
        sums: dict[Key, dict[str, int]] = defaultdict(lambda: {"consumer_fetches": 0})
        for row in self.raw["requests"]:
            if row["request"] == "FetchConsumer":
                sums[self._key(row)]["consumer_fetches"] += row["requests"]
        for span in self.intervals():
            if not span["same_process"] or span["seconds"] <= 0:
                continue
            key = span["cluster"], span["broker"]
            last = {**{name: self.metrics[*key, span["to_sweep"]][name] for name in BROKER_COUNTERS},
                    **sums[*key, span["to_sweep"]]}  # fmt: skip
            first: dict[str, int | None] = dict.fromkeys(last, 0)
            if span["kind"] == "sweeps":
                first = {**{name: self.metrics[*key, span["from_sweep"]][name] for name in BROKER_COUNTERS},
                         **sums[*key, span["from_sweep"]]}  # fmt: skip
            deltas = {name: _minus(value, first[name]) for name, value in last.items()}
            kept = {name: value for name, value in span.items() if name != "same_process"}
            ends = ["to_sweep", *(["from_sweep"] if span["kind"] == "sweeps" else [])]
            kept["conversions_read"] = all(
                any(self.metrics[*key, span[end]][name] is not None for name in SELDOM[:2]) for end in ends
            )
            yield {**kept, **deltas, "ran_back": any(delta is not None and delta < 0 for delta in deltas.values())}

    def partition_rates(self) -> Iterator[Row]:
        """Records per partition between two reads of its leader, whatever process it was."""
        logs: dict[Key, dict[tuple[str, int], Row]] = defaultdict(dict)
        for row in self.raw["partitions"]:
            if (row["replicas_count"] or 0) > 0 and (row["log_end_offset"] or 0) >= 0:
                logs[self._key(row)][row["topic"], row["partition"]] = row
        ids = {(row["cluster"], row["sweep_at"], row["topic"]): row["topic_id"] for row in self.raw["topics"]}
        for span in self.intervals():
            if span["kind"] != "sweeps" or span["seconds"] <= 0:
                continue
            where = span["cluster"], span["broker"]
            for (topic, partition), last in logs.get((*where, span["to_sweep"]), {}).items():
                first = logs.get((*where, span["from_sweep"]), {}).get((topic, partition))
                if first is None:
                    continue
                was, now = (ids.get((span["cluster"], span[at], topic)) for at in ("from_sweep", "to_sweep"))
                records = last["log_end_offset"] - first["log_end_offset"]
                shrank = records < 0 or last["log_start_offset"] < first["log_start_offset"]
                other = was is not None and now is not None and was != now
                kept = {name: value for name, value in span.items() if name not in ("kind", "same_process")}
                yield {
                    **kept, "topic": topic, "partition": partition, "records": records, "went_back": shrank or other,
                    "from_log_end_offset": first["log_end_offset"], "log_end_offset": last["log_end_offset"],
                }  # fmt: skip

    def topic_counters(self) -> Iterator[Row]:
        """Per-topic counters in the intervals of `broker_counters`; rows with any that fell are left out."""
        meters: dict[Key, dict[str, Row]] = defaultdict(dict)
        for row in self.raw["broker_topics"]:
            meters[self._key(row)][row["topic"]] = row
        hosted: dict[tuple[Any, ...], list[bool]] = defaultdict(list)
        for row in self.raw["partitions"]:
            hosted[*self._key(row), row["topic"]].append((row["replicas_count"] or 0) > 0)
        for span in self.broker_counters():
            if span["ran_back"]:
                continue
            where = span["cluster"], span["broker"]
            earlier = meters.get((*where, span["from_sweep"]), {})
            for topic, last in meters.get((*where, span["to_sweep"]), {}).items():
                first = earlier.get(topic, {})
                deltas = {name: (last[name] or 0) - (first.get(name) or 0) for name in TOPIC_COUNTERS}
                if min(deltas.values()) < 0:
                    continue
                copied = None not in (last["remote_copy_lag_bytes"], first.get("remote_copy_lag_bytes"))
                known = span["conversions_read"], span["conversions_read"], copied
                ends = [hosted.get((*where, span[at], topic), []) for at in ("from_sweep", "to_sweep")]
                names = ("cluster", "broker", "kind", "from_sweep", "to_sweep", "from_at", "to_at", "seconds")
                yield {
                    **{name: span[name] for name in names}, **deltas, "topic": topic,
                    **{name: (last[name] or 0) - (first.get(name) or 0) if told else None
                       for name, told in zip(SELDOM, known, strict=True)},
                    "remote_copy_lag_bytes": last["remote_copy_lag_bytes"],
                    "leaders": max(map(sum, ends)), "replicas": max(map(len, ends)),
                }  # fmt: skip


def _minus(last: int | None, first: int | None) -> int | None:
    return None if last is None or first is None else last - first
