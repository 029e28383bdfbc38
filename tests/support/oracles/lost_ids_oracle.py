"""Producer ids that a restarted broker lost, in plain Python: takes a day's raw rows, gives what each restart cost.

Written from docs/signatures/unclean_restart.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from support.oracles.restart_oracle import RestartOracle

Row = dict[str, Any]
HOUR_MS = 3_600_000


class LostIdsOracle(RestartOracle):
    """Restarts, with the ids that the broker knew before."""

    def ids(self, one: Row) -> tuple[int, int, list[str]] | None:
        """Producer ids known and lost per partition, and the topics of the lost; None where none is known."""
        cluster, broker = one["cluster"], one["broker"]
        if cluster in self._forgetful:
            return None
        first, last = (self._named.get((cluster, one[at]), {}) for at in ("from_sweep", "to_sweep"))
        isr = {
            (row["topic"], row["partition"]): row["isr"] for row in self.raw["topics"]
            if row["cluster"] == cluster and row["sweep_at"] == one["to_sweep"]
        }  # fmt: skip
        known, lost, topics = 0, 0, set()
        for place, replicas in last.items():
            before, log = first.get(place, {}).get(broker), self._logs.get((cluster, broker, one["to_sweep"], place))
            if before is None or log is None or broker not in replicas or broker not in isr.get(place, ()):
                continue
            for producer, state in before.items():
                age = one["to_sweep"].timestamp() * 1000 - state["last_timestamp_ms"]
                others = any(producer in ids for other, ids in replicas.items() if other != broker)
                own, above = producer in replicas[broker], self._above(one, place, state)
                still = above is not None and log["log_start_offset"] <= above < log["log_end_offset"]
                if age < HOUR_MS and still and (own or others):
                    known += 1
                    lost += not own
                    topics |= set() if own else {place[0]}
        return (known, lost, sorted(topics)) if known else None

    def _above(self, one: Row, place: Any, state: Row) -> int | None:
        """The log end that was told before a sweep at which the id told something else: it wrote above it since."""
        found, before = [], None
        for (cluster, at), places in sorted(self._named.items()):
            told = places.get(place, {}).get(one["broker"])
            log = self._logs.get((cluster, one["broker"], at, place))
            if cluster != one["cluster"] or at >= one["from_sweep"] or told is None or log is None:
                continue
            took = self.rows[cluster, one["broker"], at]["seconds"]
            asked = self._asked[cluster, one["broker"], at, place]
            then = told.get(state["producer_id"], {})
            other = any(then.get(name) != state[name] for name in ("producer_epoch", "last_sequence"))
            in_time = took is not None and asked > log["read_at"] + timedelta(seconds=took)
            end = log["log_end_offset"] if in_time else before
            found += [end] if other and end is not None else []
            before = log["log_end_offset"]
        return max(found, default=None)

    @cached_property
    def _forgetful(self) -> set[str]:
        """Clusters that let an id expire within an hour."""
        name = "transactional.id.expiration.ms"
        return {row["cluster"] for row in self.raw["broker_configs"]
                if row["name"] == name and int(row["value"]) < HOUR_MS}  # fmt: skip

    @cached_property
    def _logs(self) -> dict[Any, Row]:
        return {(*self._key(row), (row["topic"], row["partition"])): row for row in self.raw["partitions"]}

    @cached_property
    def _asked(self) -> dict[Any, datetime]:
        return {(*self._key(row), (row["topic"], row["partition"])): row["read_at"] for row in self.raw["producers"]}

    @cached_property
    def _named(self) -> dict[tuple[str, datetime], dict[Any, dict[int, dict[int, Row]]]]:
        """What replicas told of ids: sweep -> partition -> broker -> id -> row."""
        found: dict[Any, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
        for row in self.raw["producers"]:
            replica = found[row["cluster"], row["sweep_at"]][row["topic"], row["partition"]][row["broker"]]
            if row["producer_id"] is not None:
                replica[row["producer_id"]] = row
        return found
