"""Rows that clients name, at most so many of each broker: takes a table, gives its largest rows and what is left out.

A client says what its library is called. One that says something else at each connection makes a counter of the broker
grow a row each time; in use are some tens.
"""

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.store.raw.sweep_quota import Over, decoded

MOST = 1_000  # of one broker and sweep
COUNTS = {"deprecated_requests": "requests"}  # table -> the count by which its largest rows are told


def fewer_names(made: dict[str, pa.Table]) -> list[Over]:
    """Cut such tables where they have more, in place; gives what is not stored.

    Counters only grow, so a row that is kept once is nearly always kept again. One that was not kept before is no
    growth from nothing: the sweep's row of the broker says that the read is not whole.
    """
    over: list[Over] = []
    for name, count in COUNTS.items():
        table = made.get(name)
        if table is None or table.num_rows <= MOST:
            continue
        keys = [(column, "ascending") for column in table.column_names if column not in (count, "broker", "read_at")]
        ordered = table.take(pc.sort_indices(table, [("broker", "ascending"), (count, "descending"), *keys]))
        brokers = ordered["broker"].to_pylist()
        first: dict[int | None, int] = {}
        kept = [place - first.setdefault(broker, place) < MOST for place, broker in enumerate(brokers)]
        made[name] = ordered.filter(pa.array(kept))
        rest = ordered.filter(pa.array([not one for one in kept]))
        for one in pc.value_counts(rest["broker"]).to_pylist():
            own = rest.filter(pc.equal(rest["broker"], one["values"]))
            over.append(Over(name, one["values"], one["counts"], decoded(own)))
    return over
