"""Restarts, starts and lost producer ids, in plain Python: takes a day's raw rows, gives what they are judged by.

Written from docs/signatures/unclean_restart.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from signature_oracle import SignatureOracle

Row = dict[str, Any]
Node = tuple[str, int]  # cluster, broker
TABLES = "sweeps", "recoveries", "request_errors", "broker_configs", "producers"
SEQUENCE = "OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID"


class RestartOracle(SignatureOracle):
    """The raw day, with the tables that this signature reads besides those of the facts."""

    def __init__(self, home: Path, ds: str, limits: Mapping[str, float]) -> None:
        super().__init__(home, ds, "stops", limits, TABLES)
        self.rows = {self._key(row): row for row in self.raw["brokers"]}
        self.sweeps: dict[str, list[Row]] = defaultdict(list)
        for row in sorted(self.raw["sweeps"], key=lambda row: row["sweep_at"]):
            self.sweeps[row["cluster"]].append(row)
        self.reads: dict[Node, list[Row]] = defaultdict(list)
        for row in sorted(self.raw["brokers"], key=lambda row: row["sweep_at"]):
            if row["read_at"] is not None and self._key(row) in self.metrics:
                self.reads[row["cluster"], row["broker"]].append(row)

    @cached_property
    def restarts(self) -> list[Row]:
        """Pairs of reads of a broker with a new process between them, with what was counted meanwhile."""
        pairs = [span for span in self.intervals() if span["kind"] == "sweeps" and not span["same_process"]]
        found = []
        for span in pairs:
            key = span["cluster"], span["broker"], span["to_sweep"]
            began = self._process_start(self.rows[key])
            if self.rows[key]["is_broker"] and began > span["from_at"]:
                found.append({**span, "process_start": began, "ended_by": self._unlisted(span) or span["to_sweep"]})
        ends = found + list(self._vanished())
        return [{**one, **self._counted(one, ends)} for one in found]

    def _unlisted(self, end: Row) -> datetime | None:
        """The first sweep with metadata after `from_sweep`, up to `to_sweep`, that does not list the broker."""
        for sweep in self.sweeps[end["cluster"]]:
            at = sweep["sweep_at"]
            if at > end["from_sweep"] and sweep["admin_outcome"] != "failed":
                row = self.rows.get((end["cluster"], end["broker"], at))
                if (end.get("to_sweep") or at) >= at and (row is None or row["host"] is None):
                    found: datetime = at
                    return found
        return None

    def _vanished(self) -> Iterator[Row]:
        """Brokers that were last read and then never again, and that a later sweep does not list."""
        for (cluster, broker), reads in self.reads.items():
            last = reads[-1]
            end = {"cluster": cluster, "broker": broker, "from_sweep": last["sweep_at"]}
            by = self._unlisted(end)
            if last["is_broker"] and by is not None:
                yield {**end, "ended_by": by}

    def _counted(self, one: Row, ends: list[Row]) -> Row:
        cluster, first, last = one["cluster"], one["from_sweep"], one["ended_by"]
        near = [end for end in ends if end["cluster"] == cluster]
        within = [end for end in near if first <= end["from_sweep"] and end["ended_by"] <= last]
        touching = [end for end in near if end["from_sweep"] < last and first < end["ended_by"]]
        own = self.metrics[cluster, one["broker"], first]
        total, was_active, is_active = 0, False, False
        for other_cluster, other in self.reads:
            keys = [(cluster, other, at) for at in (first, last)]
            if other_cluster != cluster or other == one["broker"] or any(key not in self.metrics for key in keys):
                continue
            before, after = (self.metrics[key] for key in keys)
            same = self._process_start(self.rows[keys[0]]) == self._process_start(self.rows[keys[1]])
            if same and None not in (before["controlled_shutdowns"], after["controlled_shutdowns"]):
                total += after["controlled_shutdowns"] - before["controlled_shutdowns"]
                was_active |= before["active_controller"] == 1
                is_active |= after["active_controller"] == 1
        was_controller = own["active_controller"] == 1
        known = was_active and is_active and not was_controller
        return {
            "stops": len(within), "possible_stops": len(touching), "was_controller": was_controller,
            "controlled_shutdowns": total if known else None,
        }  # fmt: skip

    @cached_property
    def starts(self) -> list[Row]:
        """Processes read on the day, with how long their start took."""
        processes: dict[Any, list[Row]] = defaultdict(list)
        for (cluster, broker), reads in self.reads.items():
            for read in reads:
                if read["sweep_at"].date() == self.ds and read["is_broker"]:
                    processes[cluster, broker, self._process_start(read)].append(read)
        found = []
        for (cluster, broker, began), reads in processes.items():
            told = [self.metrics[self._key(read)] for read in reads]
            spans = [
                m["app_start_ms"] - m["jvm_start_ms"]
                for m in told
                if None not in (m["app_start_ms"], m["jvm_start_ms"])
            ]
            logs = [self._remaining(read) for read in reads]
            seen = [count for count in logs if count is not None]
            seconds = spans[-1] / 1000 if spans else None
            if seconds is None and logs[-1]:
                seconds = (reads[-1]["read_at"] - began) / timedelta(seconds=1)
            found.append({
                "cluster": cluster, "broker": broker, "process_start": began, "start_seconds": seconds,
                "remaining_logs": max(seen, default=None), "first_read": reads[0]["read_at"],
            })  # fmt: skip
        return [{**one, "usual_seconds": self._usual(one, found)} for one in found]

    def _remaining(self, read: Row) -> int | None:
        logs = [row["remaining_logs"] for row in self.of_read("recoveries", self._key(read))]
        return sum(logs) if logs else None

    @staticmethod
    def _usual(one: Row, starts: list[Row]) -> float | None:
        others = [
            other["start_seconds"] for other in starts
            if other is not one and other["cluster"] == one["cluster"] and other["start_seconds"] is not None
        ]  # fmt: skip
        return median(others) if others else None

    def sequence_errors(self) -> Iterator[Row]:
        """Produce answers with a sequence error per interval; None where a read may not have shown them."""
        counts: dict[Any, dict[str, int]] = defaultdict(dict)
        for row in self.raw["request_errors"]:
            if row["request"] == "Produce":
                counts[self._key(row)][row["error"]] = row["errors"]
        for span in self.intervals():
            if span["same_process"] and span["seconds"] > 0:
                ends = [(span["cluster"], span["broker"], span[at]) for at in ("from_sweep", "to_sweep")]
                ends = ends[1:] if span["kind"] == "start" else ends
                told = {"invalid": [self.metrics[end]["invalid_offset_or_sequence"] for end in ends]}
                for code in SEQUENCE:
                    whole = [0 if self.rows[end]["outcome"] == "ok" else None for end in ends]
                    told[code] = [counts[end].get(code, zero) for end, zero in zip(ends, whole, strict=True)]
                found = {name: None if None in v else v[-1] - (v[0] if len(v) == 2 else 0) for name, v in told.items()}
                codes = [found[code] for code in SEQUENCE]
                yield {**span, "invalid": found["invalid"], "errors": None if None in codes else sum(codes)}

    def errors_around(self, one: Row) -> tuple[int | None, int | None]:
        """Sequence errors and refused records in intervals that begin around a restart; None where nothing was read."""
        low, high = one["from_at"] - timedelta(seconds=60), one["to_at"] + timedelta(seconds=self.limits["error_s"])
        near = [s for s in self._errors if s["cluster"] == one["cluster"] and low <= s["from_at"] <= high]
        found = []
        for name in ("errors", "invalid"):
            known = [span[name] for span in near if span[name] is not None]
            found.append(sum(known) if known else None)
        return found[0], found[1]

    @cached_property
    def _errors(self) -> list[Row]:
        return list(self.sequence_errors())

    def ids(self, one: Row) -> tuple[int, int, list[str]] | None:
        """Producer ids known and lost per partition, and the topics of the lost; None where none is known."""
        cluster, broker = one["cluster"], one["broker"]
        first, last = (self._named.get((cluster, one[at]), {}) for at in ("from_sweep", "to_sweep"))
        isr = {
            (row["topic"], row["partition"]): row["isr"] for row in self.raw["topics"]
            if row["cluster"] == cluster and row["sweep_at"] == one["to_sweep"]
        }  # fmt: skip
        known, lost, topics = 0, 0, set()
        for place, replicas in last.items():
            before = first.get(place, {}).get(broker)
            if before is None or broker not in replicas or broker not in isr.get(place, ()):
                continue
            for producer, used_ms in before.items():
                age = one["to_sweep"].timestamp() * 1000 - used_ms
                others = any(producer in ids for other, ids in replicas.items() if other != broker)
                own = producer in replicas[broker]
                if age < 3_600_000 and (own or others):
                    known += 1
                    lost += not own
                    topics |= set() if own else {place[0]}
        return (known, lost, sorted(topics)) if known else None

    @cached_property
    def _named(self) -> dict[tuple[str, datetime], dict[Any, dict[int, dict[int, int]]]]:
        """Ids that replicas name, with the time of their last batch: sweep -> partition -> broker -> id."""
        found: dict[Any, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
        for row in self.raw["producers"]:
            replica = found[row["cluster"], row["sweep_at"]][row["topic"], row["partition"]][row["broker"]]
            if row["producer_id"] is not None:
                replica[row["producer_id"]] = row["last_timestamp_ms"]
        return found
