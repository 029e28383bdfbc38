"""Log marks that a host's own script counted: takes node_exporter's answer, gives what was counted of each log.

Only series of that script are looked at; what it does not count is said, and what it served long ago is not read.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from kafka_fleet.collect.connections.http import Endpoint, Failure, Limits
from kafka_fleet.collect.log_marks.rows import Counted, Tally
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.log_marks import LOGS, log_marks, marks_of

STALE = timedelta(minutes=15)  # the script runs every minute
_LINE = re.compile(
    rb"^kafka_log_(marks?_[a-z_]{1,60})(?:\{([^}\n]{0,300})\})?[ \t]+([0-9.eE+-]{1,40})(?:[ \t]+-?\d+)?[ \t\r]*$",
    re.MULTILINE,
)
_LABEL = re.compile(rb'(broker|mark|port|log)="([\w]{0,64})"')
_FIRST, _LAST = "mark_first_line_timestamp_seconds", "mark_last_line_timestamp_seconds"
Key = tuple[str | None, int | None]  # mark, or log, and port; None of what is of the script itself


class _Series(NamedTuple):
    """Value of each series by metric, mark and port."""

    values: Mapping[tuple[str, Key], Decimal]

    def whole(self, metric: str, key: Key = (None, None)) -> int | None:
        """A count."""
        found = self.values.get((metric, key))
        return int(found) if found is not None and 0 <= found < 2**58 else None

    def moment(self, metric: str, key: Key = (None, None)) -> datetime | None:
        """A time; None of 0, which is none."""
        found = self.values.get((metric, key))
        return datetime.fromtimestamp(float(found), UTC) if found and 0 < found < 4_000_000_000 else None


def read_textfile(broker: int, url: str, credentials: Credentials, limits: Limits) -> dict[str, Counted | Failure]:
    """As parse."""
    with Endpoint(url, credentials, limits) as endpoint:
        body = endpoint.send("GET", url)
    return parse(broker, body, datetime.now(UTC))


def parse(broker: int, body: bytes | bytearray, now: datetime) -> dict[str, Counted | Failure]:
    """Counts by log, or why the script could not read it. Raises Failure where it has none of it, or of now."""
    series = _series(broker, body)
    since, read = series.moment("marks_since_timestamp_seconds"), series.moment("marks_read_timestamp_seconds")
    if since is None or read is None:
        raise Failure("protocol", "the answer has no log marks; does the script write where node_exporter reads?")
    if now - read > STALE:
        raise Failure("stale", f"the script has not run since {read:%Y-%m-%d %H:%M:%S} UTC")
    lost = series.whole("marks_lost_files_total")
    found: dict[str, Counted | Failure] = {}
    for log in LOGS:
        if series.whole("marks_readable", (log, None)) == 0:
            found[log] = Failure("unreadable", "the script could not read this log in its last run")
            continue
        keys = [key for metric, key in series.values if metric == "mark_lines_total" and key[0] in marks_of(log)]
        if not keys:
            continue
        untold = sorted(set(marks_of(log)) - {str(key[0]) for key in keys})
        said = [f"the script does not count {', '.join(untold)}"] if untold else []
        said += [f"{lost:,} log files went before they were read to their end"] if lost else []
        tallies = {(str(key[0]), key[1]): _tally(series, key) for key in keys}
        found[log] = Counted(since, read, tallies, "; ".join(said) or None)
    if not found:
        raise Failure("unreadable", "the script could read none of its logs")
    return found


def _tally(series: _Series, key: Key) -> Tally:
    summed = log_marks()[str(key[0])].number in ("logs", "ms")
    number = series.whole("mark_number_total", key) if summed else None
    first, last = series.moment(_FIRST, key), series.moment(_LAST, key)
    return Tally(series.whole("mark_lines_total", key) or 0, number, first, last)


def _series(broker: int, body: bytes | bytearray) -> _Series:
    """Those with the broker's label, or those without any where there is none. Raises Failure for one given twice."""
    found: dict[bool, dict[tuple[str, Key], Decimal]] = {True: {}, False: {}}
    for line in _LINE.finditer(body):
        labels = {name.decode(): value.decode() for name, value in _LABEL.findall(line[2] or b"")}
        own = labels.get("broker")
        port = labels.get("port", "")
        if own not in (None, str(broker)) or not re.fullmatch("[0-9]{0,5}", port):
            continue
        if labels.get("mark", next(iter(log_marks()))) not in log_marks():
            continue  # of a script that knows more than this program
        key = line[1].decode(), (labels.get("mark", labels.get("log")), int(port) if port else None)
        if key in found[own is not None]:
            raise Failure("protocol", "a log mark is given twice; hosts with several brokers need --broker")
        try:
            found[own is not None][key] = Decimal(line[3].decode())
        except InvalidOperation:
            continue  # such as "1e"
    return _Series(found[True] or found[False])
