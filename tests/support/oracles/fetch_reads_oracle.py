"""Windows of consumer fetches, in plain Python: takes a day's raw rows, gives what is read where, and the wait.

Written from docs/signatures/fetch_latency.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from support.oracles.signature_oracle import SignatureOracle

Row = dict[str, Any]
Window = tuple[str, int, int]  # cluster, broker, number of the window
TABLES = "sweeps", "request_times", "group_assignments", "group_offsets", "broker_configs"
QUANTILES = "p50_ms", "p75_ms", "p95_ms", "p98_ms", "p99_ms", "p999_ms"


class FetchReads(SignatureOracle):
    """The raw day, with the tables that this signature reads besides those of the facts."""

    def __init__(self, home: Path, ds: str, limits: Mapping[str, float]) -> None:
        super().__init__(home, ds, "fetch", limits, TABLES, beside=("faults",))
        self.leaders = {
            (r["cluster"], r["sweep_at"], r["topic"], r["partition"]): r["leader"] for r in self.raw["topics"]
        }
        self.remote = {
            self._key(r): r for r in self.raw["request_times"]
            if r["request"] == "FetchConsumer" and r["phase"] == "RemoteTimeMs"
        }  # fmt: skip

    def _window(self, at: datetime) -> int:
        return int(at.timestamp() // self.limits["window_s"])

    @cached_property
    def spans(self) -> list[Row]:
        """Intervals with both counters that end where groups were read (if they ever were), each with its window."""
        read: dict[tuple[str, datetime], bool] = {
            (row["cluster"], row["sweep_at"]): row["admin_outcome"] != "failed"
            and not {"groups", "group_members", "group_offsets"} & set(row["admin_missing"] or [])
            for row in self.raw["sweeps"]
            if row["sweep_at"].date() == self.ds
        }
        readable = {cluster for (cluster, _at), known in read.items() if known}
        return [
            {**span, "time_window": self._window(span["to_sweep"]) if span["kind"] == "sweeps" else -1}
            for span in self.broker_counters()
            if not span["ran_back"] and None not in (span["consumer_fetches"], span["expired_consumer_fetches"])
            and (read[span["cluster"], span["to_sweep"]] or span["cluster"] not in readable)
        ]  # fmt: skip

    @cached_property
    def windows(self) -> dict[Window, Row]:
        """Fetches and expiries of a broker by window, and the wait that expires there, s."""
        found: dict[Window, list[Row]] = defaultdict(list)
        for span in self.spans:
            found[span["cluster"], span["broker"], span["time_window"]].append(span)
        return {key: self._summed(key, spans) for key, spans in found.items()}

    def _summed(self, key: Window, spans: list[Row]) -> Row:
        last = max(span["to_sweep"] for span in spans)
        fetches, expired = (sum(s[name] for s in spans) for name in ("consumer_fetches", "expired_consumer_fetches"))
        values = self.remote.get((*key[:2], last), {})
        return {
            "cluster": key[0], "broker": key[1], "time_window": key[2], "seconds": sum(s["seconds"] for s in spans),
            "from_at": min(s["from_at"] for s in spans), "to_at": max(s["to_at"] for s in spans),
            "longest_s": max(s["seconds"] for s in spans),
            "fetches": fetches, "wait_s": self._wait_ms(fetches, expired, values) / 1000,
            "expired": expired, "to_sweep": last, **{name: values.get(name) for name in QUANTILES},
        }  # fmt: skip

    def _wait_ms(self, fetches: int, expired: int, values: Row) -> float:
        """Where neighbouring quantiles of the expired part agree, else the default."""
        usual = self.limits["wait_ms"]
        for low, high, share in (("p50_ms", "p75_ms", 0.5), ("p75_ms", "p95_ms", 0.1), ("p95_ms", "p98_ms", 0.1)):
            first, second = values.get(low), values.get(high)
            if first is None or second is None or expired < share * fetches or expired < 0.1 * fetches:
                continue
            if abs(second - first) <= max(10, 0.04 * second):
                return usual if first < 20 or abs(first - usual) <= 0.06 * usual else float(first)
        return usual

    @cached_property
    def traffic(self) -> dict[tuple[str, int, str, int], Row]:
        """What a broker took in and gave out of a topic by window."""
        usable = {(s["cluster"], s["broker"], s["kind"], s["to_sweep"]): s["time_window"] for s in self.spans}
        found: dict[Any, Row] = {}
        for row in self.topic_counters():
            window = usable.get((row["cluster"], row["broker"], row["kind"], row["to_sweep"]))
            if window is None:
                continue
            key = row["cluster"], row["broker"], row["topic"], window
            names = "cluster", "broker", "topic", "time_window"
            one = found.setdefault(key, dict(zip(names, key, strict=True)) | dict.fromkeys(
                ("bytes_out", "bytes_in", "messages_in", "batches", "leaders", "replicas", "seconds"), 0))  # fmt: skip
            for name, source in (("bytes_out", "bytes_out"), ("bytes_in", "bytes_in"), ("messages_in", "messages_in"),
                                 ("batches", "produce_batches"), ("seconds", "seconds")):  # fmt: skip
                one[name] += row[source]
            for name in ("leaders", "replicas"):
                one[name] = max(one[name], row[name])
        return found

    def progress(self) -> Iterator[Row]:
        """What groups got on with between consecutive sweeps that read offsets."""
        sweeps: dict[str, list[datetime]] = defaultdict(list)
        for row in sorted(self.raw["sweeps"], key=lambda row: row["sweep_at"]):
            if row["admin_outcome"] != "failed" and "group_offsets" not in (row["admin_missing"] or []):
                sweeps[row["cluster"]].append(row["sweep_at"])
        offsets: dict[Any, dict[Any, int]] = defaultdict(dict)
        for row in self.raw["group_offsets"]:
            place = row["group_id"], row["topic"], row["partition"]
            offsets[row["cluster"], row["sweep_at"]][place] = row["committed_offset"]
        for cluster, times in sweeps.items():
            for first, last in pairwise(times):
                for (group, topic, partition), offset in offsets[cluster, last].items():
                    was = offsets[cluster, first].get((group, topic, partition))
                    if was is not None and last.date() == self.ds:
                        leader = self.leaders.get((cluster, last, topic, partition))
                        yield {
                            "cluster": cluster, "group": group, "topic": topic, "partition": partition,
                            "from_sweep": first, "to_sweep": last, "leader": leader, "records": offset - was,
                        }  # fmt: skip

    @cached_property
    def forward(self) -> list[Row]:
        """Progress, each with its window and the records of it that are within one interval of the leader."""
        spans: dict[tuple[str, int], list[Row]] = defaultdict(list)
        for span in self.spans:
            if span["kind"] == "sweeps":
                spans[span["cluster"], span["broker"]].append(span)
        found = []
        for row in self.progress():
            if row["records"] > 0 and row["leader"] is not None:
                within = any(
                    span["from_sweep"] <= row["from_sweep"] and row["to_sweep"] <= span["to_sweep"]
                    for span in spans[row["cluster"], row["leader"]]
                )
                counted = row["records"] if within else 0
                found.append({**row, "time_window": self._window(row["to_sweep"]), "counted": counted})
        return found

    @cached_property
    def got_on(self) -> dict[tuple[str, str, int, int], Row]:
        """Groups that got on, and by how many records within its leader's intervals, by topic, leader and window."""
        found: dict[Any, Row] = {}
        for row in self.forward:
            names = "cluster", "topic", "leader", "time_window"
            key = tuple(row[name] for name in names)
            one = found.setdefault(key, dict(zip(names, key, strict=True)) | {"records": 0, "groups": set()})
            one["records"] += row["counted"]
            one["groups"] |= {row["group"]}
        return {key: {**one, "groups": sorted(one["groups"])} for key, one in found.items()}

    @cached_property
    def bypassed(self) -> dict[tuple[str, int, str, int], Row]:
        """Leaders that sent consumers far fewer bytes of a topic than groups got on with there."""
        found = {}
        for (cluster, topic, leader, window), one in self.got_on.items():
            own = self.traffic.get((cluster, leader, topic, window))
            if own is not None and own["messages_in"] > 0:
                size = own["bytes_in"] / own["messages_in"]
                if own["bytes_out"] < self.limits["bypass_share"] * one["records"] * size:
                    found[cluster, leader, topic, window] = {
                        "cluster": cluster, "broker": leader, "topic": topic, "time_window": window,
                        "groups": one["groups"],
                    }  # fmt: skip
        return found

    @cached_property
    def readers(self) -> dict[tuple[str, str, int], list[str]]:
        """Groups that got on with a topic in a window, wherever."""
        found: dict[Any, set[str]] = defaultdict(set)
        for (cluster, topic, _leader, window), one in self.got_on.items():
            found[cluster, topic, window] |= set(one["groups"])
        return {key: sorted(groups) for key, groups in found.items()}

    @cached_property
    def followers(self) -> dict[tuple[str, int, str, int], Row]:
        """Topics of which a broker sends consumers more than its own leaders explain."""
        found = {}
        for (cluster, broker, topic, window), one in self.traffic.items():
            passed = any(
                (c, t, w) == (cluster, topic, window) and leader != broker for c, leader, t, w in self.bypassed
            )
            reading = self.readers.get((cluster, topic, window), [])
            only_follows = one["leaders"] == 0 and one["messages_in"] == 0 and one["bytes_out"] > 0
            more = one["bytes_out"] > self.limits["excess_factor"] * one["bytes_in"] * max(1, len(reading))
            if only_follows or (one["leaders"] > 0 and more and passed):
                found[cluster, broker, topic, window] = {**one, "groups": reading}
        return found
