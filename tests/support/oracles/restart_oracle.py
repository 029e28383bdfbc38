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

from support.oracles.facts_oracle import CLOCK
from support.oracles.signature_oracle import SignatureOracle

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
        return [{**one, **self._counted(one, ends), **self._kraft(one)} for one in found]

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

    def _kraft(self, one: Row) -> Row:
        """What controllers of a cluster without that count showed of a restart; None where they showed nothing."""
        cluster, broker = one["cluster"], one["broker"]
        if cluster in self.counting:
            names = "fenced_brokers", "controlled_shutdown_brokers", "refused_registrations", "leaders_before"
            return dict.fromkeys(names)
        nodes = sorted(node for of, node in self.reads if of == cluster)
        skew = self.rows[cluster, broker, one["to_sweep"]]["agent_clock_skew_s"] or 0
        before = one["process_start"] - timedelta(seconds=skew + CLOCK)
        fenced = stopped = None
        for sweep in self.sweeps[cluster]:
            at = sweep["sweep_at"]
            row = self.rows.get((cluster, broker, at))
            listed = sweep["admin_outcome"] == "failed" or (row is not None and row["host"] is not None)
            if not one["from_sweep"] < at < one["to_sweep"] or listed:
                continue
            for node in nodes:
                told = self.metrics.get((cluster, node, at))
                if told and told["active_controller"] == 1 and self.rows[cluster, node, at]["read_at"] < before:
                    counts = told["fenced_brokers"], told["controlled_shutdown_brokers"]
                    if None not in counts and counts[0] > 0:
                        fenced, stopped = counts
        refused: list[int] = []
        for node in nodes:
            keys = [(cluster, node, one[at]) for at in ("from_sweep", "to_sweep")]
            if all(key in self.metrics for key in keys) and self.metrics[keys[1]]["release"].startswith("3."):
                same = self._process_start(self.rows[keys[0]]) == self._process_start(self.rows[keys[1]])
                first, last = (self._refused.get(key, 0 if self.rows[key]["outcome"] == "ok" else None) for key in keys)
                if same and first is not None and last is not None and last >= first:
                    refused.append(last - first)
        return {"fenced_brokers": fenced, "controlled_shutdown_brokers": stopped,
                "refused_registrations": sum(refused) if refused else None,
                "leaders_before": self.metrics[cluster, broker, one["from_sweep"]]["leader_count"]}  # fmt: skip

    @cached_property
    def counting(self) -> set[str]:
        """Clusters whose controllers count controlled shutdowns."""
        return {key[0] for key, row in self.metrics.items() if row["controlled_shutdowns"] is not None}

    @cached_property
    def _refused(self) -> dict[Any, int]:
        kind = "BrokerRegistration", "DUPLICATE_BROKER_REGISTRATION"
        return {
            self._key(row): row["errors"] for row in self.raw["request_errors"]
            if (row["request"], row["error"]) == kind
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
