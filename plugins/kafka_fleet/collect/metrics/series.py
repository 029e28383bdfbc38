"""One series of an exporter: takes its name, labels and the text of its sample, gives the values of rows.

The import of past days and the sweep of a metrics endpoint read series by the same table of names.
"""

import math
import re
from collections.abc import Mapping

from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.schema.metric_names import TOTAL, Names, Source

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?Inf|NaN")  # float() reads 1_0 as 10


def take_series(
    rows: Rows,
    sources: list[Source],
    own: Mapping[str, str],
    labels: Mapping[str, str],
    text: str,
    seen: set[str],
) -> list[Source]:
    """Put one sample into the rows; the columns that it was taken for.

    own: its labels besides those of its target, names in lower case. labels: all of them, as they are.
    seen: MBeans that have a sample; takes those of this one.
    """
    fitting = [source for source in sources if source.fits(own)]
    for source in fitting:
        value = labels.get(source.label) if source.label else number_of(text, source)
        if source.label is None or value is not None:
            rows.take(source.bean, source.properties(own), {source.column.attribute: value})
            seen.add(source.bean.mbean)
    return fitting


def number_of(text: str, source: Source) -> float:
    """The sample as a number in the column's unit; NaN where it is none, which the rows count as unusable."""
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if source.factor == 1 or not math.isfinite(number):
        return number
    number *= source.factor
    return number if source.column.type == "double" or not math.isfinite(number) else float(round(number))


def fill_means(rows: Rows) -> None:
    """Make means of sums that were shown in their place."""
    for row in rows.by_table["request_times"].values():
        total, count = row.pop(TOTAL, None), row.get("observations")
        if isinstance(total, float) and isinstance(count, int) and row.get("mean_ms") is None:
            row["mean_ms"] = total / count if count else 0.0


def without_counts(rows: Rows, names: Names, shown: set[str]) -> list[str]:
    """Columns taken out of the row of the broker, since an absent row of what they are compared with would be a 0.

    shown: metric names, in lower case, that the exporter has. Gives `table.column` of each.
    """
    broker = next(iter(rows.by_table["broker_metrics"].values()), {})
    taken = []
    for column, needed in names.needs.items():
        name = column.partition(".")[2]
        there = all(names.of(one) & shown for one in needed) and _by_topic(rows)
        if broker.get(name) is not None and not there:
            broker[name] = None
            taken.append(column)
    return taken


def _by_topic(rows: Rows) -> bool:
    """Whether traffic is shown by topic, where there is any: a broker that sums it up alone cannot be judged by it."""
    broker = next(iter(rows.by_table["broker_metrics"].values()), {})
    busy = any(isinstance(value := broker.get(name), int) and value > 0 for name in ("messages_in", "bytes_out"))
    return not busy or bool(rows.by_table["broker_topics"])
