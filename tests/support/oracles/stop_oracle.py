"""unclean_restart computed a second time, in plain Python: takes a day's raw rows, gives restarts as they are judged.

Written from docs/signatures/unclean_restart.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from support.oracles.lost_ids_oracle import LostIdsOracle

Row = dict[str, Any]
DEAD = "killed", "some_killed"
KRAFT = "fenced_brokers", "controlled_shutdown_brokers", "refused_registrations"  # evidence


class StopOracle(LostIdsOracle):
    """Restarts, judged."""

    @cached_property
    def judged(self) -> list[Row]:
        """Restarts, and processes that began on the day and whose broker was not read before."""
        found = []
        restarts = {(one["cluster"], one["broker"], one["process_start"]): one for one in self.restarts}
        for start in self.starts:
            key = start["cluster"], start["broker"], start["process_start"]
            one = restarts.get(key)
            earlier = [r for r in self.reads[key[:2]] if r["read_at"] < start["first_read"]]
            today = start["process_start"].date() == self.ds
            if one is None and (not today or earlier):
                continue
            seconds, usual, limits = start["start_seconds"], start["usual_seconds"], self.limits
            long = seconds is not None and usual is not None
            long = long and seconds >= max(limits["min_start_s"], limits["min_start_factor"] * usual)
            errors = self.errors_around(one) if one else (None, None)
            known, lost, topics = (self.ids(one) if one else None) or (None, None, None)
            gone = lost is not None and lost >= limits["min_lost_ids"]
            found.append({
                **(one or dict.fromkeys(KRAFT)), **start, "judged_as": _judged(one), "is_long": long,
                "known_ids": known, "lost_ids": lost, "topics": topics, "is_proven": gone,
                "sequence_errors": errors[0], "invalid_records": errors[1],
            })  # fmt: skip
        return found

    def detections(self) -> Iterator[Row]:
        """One row per cluster and cause."""
        causes: dict[tuple[str, str], list[Row]] = defaultdict(list)
        killed = {one["cluster"] for one in self.judged if one["judged_as"] == "killed"}
        for one in self.judged:
            cluster, judged = one["cluster"], one["judged_as"]
            if judged == "killed" or (judged == "some_killed" and (one["is_proven"] or cluster not in killed)):
                causes[cluster, "killed"].append(one)
            if judged not in DEAD and (one["is_long"] or one["is_proven"]):
                causes[cluster, "long_recovery"].append(one)
        for (cluster, cause), rows in causes.items():
            proven = [one for one in rows if one["is_proven"]]
            yield {"cluster": cluster, "cause": cause, "strength": "conclusive" if proven else "suggestive",
                   **self._told(cluster, proven or rows)}  # fmt: skip

    def _told(self, cluster: str, rows: list[Row]) -> Row:
        """Subjects and numbers of a finding that speaks of these restarts."""

        def values(name: str) -> list[Any]:
            return [one[name] for one in rows if one.get(name) is not None]

        longest = {
            one["broker"]: max(o["start_seconds"] or 0 for o in rows if o["broker"] == one["broker"]) for one in rows
        }
        brokers = sorted(longest, key=lambda broker: (-longest[broker], broker))
        topics = sorted({topic for found in values("topics") for topic in found})
        rest = [f"and {len(brokers) - 14} more brokers"] if len(brokers) > 14 else []
        named = [f"broker {broker}" for broker in brokers[:14]] + rest + [f"topic {topic}" for topic in topics[:5]]
        named += [f"and {len(topics) - 5} more topics"] if len(topics) > 5 else []
        worst = min(rows, key=lambda one: (-(one["start_seconds"] or 0), one["broker"], one["first_read"]))
        largest = (
            "controlled_shutdowns",
            "stops",
            *KRAFT,
            "start_seconds",
            "remaining_logs",
            "sequence_errors",
            "invalid_records",
        )
        return {"subjects": named, "bounds": None, "evidence": {
            **{name: max(values(name), default=None) for name in largest},
            **{name: sum(values(name)) if values(name) else None for name in ("known_ids", "lost_ids")},
            "restart_count": len(rows), "usual_seconds": worst["usual_seconds"], **self._settings(cluster),
        }}  # fmt: skip

    def _settings(self, cluster: str) -> Row:
        """What is set for controlled shutdowns at the last sweep that read it; the least where brokers differ."""
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for row in sorted(self.raw["broker_configs"], key=lambda row: row["sweep_at"]):
            if row["cluster"] == cluster and row["sweep_at"].date() == self.ds and row["value"] is not None:
                found[row["name"]][row["broker"]] = row["value"]
        enabled = [value == "true" for value in found["controlled.shutdown.enable"].values()]
        retries = [float(value) for value in found["controlled.shutdown.max.retries"].values()]
        backoff = [float(value) / 1000 for value in found["controlled.shutdown.retry.backoff.ms"].values()]
        time = min(retries) * min(backoff) if retries and backoff else None
        return {"is_enabled": min(enabled, default=None), "retry_seconds": time}

    def unmeasured(self) -> set[str]:
        """Clusters of which too few brokers were read twice, or too few restarts are told apart."""
        brokers: dict[str, set[int]] = defaultdict(set)
        for row in self.raw["brokers"]:
            if row["sweep_at"].date() == self.ds and row["is_broker"]:
                brokers[row["cluster"]].add(row["broker"])
        twice = {(span["cluster"], span["broker"]) for span in self.intervals() if span["kind"] == "sweeps"}
        low, found = self.limits["min_coverage"], set()
        for cluster, known in brokers.items():
            pairs = [one for one in self.judged if one["cluster"] == cluster and one["judged_as"] != "first_read"]
            kraft = cluster not in self.counting
            told = [
                one for one in pairs
                if one["judged_as"] != "unknown" or (kraft and one["start_seconds"] and one["usual_seconds"])
            ]  # fmt: skip
            compared = sum((cluster, broker) in twice for broker in known)
            if compared < low * len(known) or len(told) < low * len(pairs):
                found.add(cluster)
        return found


def _judged(one: Row | None) -> str:
    """How a restart came about, by what controllers counted; or that nobody read the process before it."""
    if one is None:
        return "first_read"
    count, fenced, stopped = (one[k] for k in ("controlled_shutdowns", "fenced_brokers", "controlled_shutdown_brokers"))
    if stopped == 0 and (one["leaders_before"] or 0) > 0:
        return "killed"
    if stopped is not None and stopped >= fenced:
        return "clean_roll"
    if (one["refused_registrations"] or 0) > 0:
        return "killed" if one["possible_stops"] == 1 else "some_killed"
    if count is None:
        return "unknown"
    if count == 0:
        return "killed"
    if count < one["stops"]:
        return "some_killed"
    return "unknown" if count < one["possible_stops"] else "clean_roll"
