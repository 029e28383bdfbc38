"""The log marks of one sweep: takes a cluster's entry and its brokers' hosts, gives rows of the table `log_marks`.

Each broker is asked by itself, so that one that fails costs no other. Where a Loki was not read, the next sweep asks
for that time too; a script on the host counts on by itself.
"""

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kafka_fleet.base.addresses import url_problem
from kafka_fleet.collect.connections.http import Failure, Limits
from kafka_fleet.collect.log_marks.loki import read_loki, selector_of
from kafka_fleet.collect.log_marks.rows import Row, failed, rows_of
from kafka_fleet.collect.log_marks.textfile import read_textfile
from kafka_fleet.config.credentials import Credentials, CredentialsError, Resolver, http_credentials
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.config.log_marks import Loki, Textfile
from kafka_fleet.knowledge.log_marks import LOGS, Log
from kafka_fleet.store.raw.newest_sweep import newest_sweep, sweep_tables

TABLE = "log_marks"
DELAY = timedelta(seconds=30)  # what ships logs to a Loki is so far behind
FIRST = timedelta(minutes=10)  # of a broker that was never asked for
MOST = timedelta(hours=6)  # back in time
Unread = dict[tuple[int, str], datetime]
Within = Callable[[], Limits | None]
LATE = "not asked: the cluster's other endpoints took all of its time"


def unread_from(home: Path, cluster: Cluster) -> Unread:
    """From when on each broker's logs in a Loki have not been read, by what the last sweep said. Raises OSError."""
    if cluster.log_marks is None or cluster.log_marks.loki is None:
        return {}
    sweep = newest_sweep(home, cluster.id, (TABLE,))
    if sweep is None:
        return {}
    rows = sweep_tables(home, sweep, {TABLE: ()}).table(TABLE).to_pylist()
    moments = {
        (row["broker"], row["log"]): row["read_at"] if row["outcome"] == "ok" else row["counted_from"]
        for row in rows
        if row["mark"] is None
    }
    return {key: at for key, at in moments.items() if at is not None}


class MarkSweep:
    """What is asked for in one sweep. host_in_url: a host as part of a URL, and nothing but that."""

    def __init__(
        self, cluster: Cluster, resolver: Resolver, unread: Unread, within: Within, host_in_url: Callable[[str], str]
    ) -> None:
        self._marks, self._unread, self._within, self._host = cluster.log_marks, unread, within, host_in_url
        self._declared = set(cluster.agents.brokers)
        self._credentials, self._fault = Credentials(), ""
        try:
            self._credentials = http_credentials(self._marks.connection if self._marks else None, resolver)
        except CredentialsError as error:
            self._fault = str(error)

    def brokers(self, hosts: dict[int, str], replicas: Collection[int] | None) -> dict[int, str | None]:
        """Host by broker; of brokers that the cluster does not list none. Empty where no marks are declared.

        replicas: brokers that have replicas; None where nobody told. One that is neither listed nor has any is gone.
        """
        if self._marks is None:
            return {}
        textfile = set(self._marks.textfile.brokers) if self._marks.textfile else set()
        before = {broker for broker, _log in self._unread if replicas is None or broker in replicas}
        known = {*hosts, *self._declared, *textfile, *before}
        return {broker: hosts.get(broker) for broker in sorted(known)}

    def rows(self, broker: int, host: str | None) -> list[Row]:
        """The rows of one broker; a failed read is a row, with its reason."""
        if self._marks and self._marks.loki:
            return self._of_loki(self._marks.loki, broker, host, datetime.now(UTC))
        return self._of_textfile(self._marks.textfile, broker, host) if self._marks and self._marks.textfile else []

    def _of_textfile(self, textfile: Textfile, broker: int, host: str | None) -> list[Row]:
        try:
            url = textfile.brokers.get(broker)
            if url is None and textfile.url_template is not None and host is not None:
                url = textfile.url_template.replace("{host}", self._host(host))
            if url is None:
                raise Failure("no_host", "no URL is declared for it, or the cluster does not list its host")
            if problem := url_problem(url):  # the host comes from the cluster: it is checked as the fleet file is
                raise Failure("forbidden", problem)
            counted = read_textfile(broker, url, self._credentials, self._limits())
        except Failure as failure:
            return [failed(broker, log, str(failure)) for log in LOGS]
        return [
            row
            for log, one in counted.items()
            for row in ([failed(broker, log, str(one))] if isinstance(one, Failure) else rows_of(broker, log, one))
        ]

    def _of_loki(self, loki: Loki, broker: int, host: str | None, now: datetime) -> list[Row]:
        rows: list[Row] = []
        for log in (one for one in LOGS if one in loki.selectors):
            start, end = self._start(broker, log, now), now - DELAY
            try:
                selector = selector_of(loki.selectors[log], broker, host)
                counted = read_loki(loki, log, selector, start, end, self._credentials, self._limits())
                rows += rows_of(broker, log, counted)
            except Failure as failure:
                rows.append(failed(broker, log, str(failure), start))
        return rows

    def _start(self, broker: int, log: Log, now: datetime) -> datetime:
        start = self._unread.get((broker, log), now - DELAY - FIRST)
        return min(max(start, now - MOST), now - DELAY)

    def _limits(self) -> Limits:
        if self._fault:
            raise Failure("credentials", self._fault)
        limits = self._within()
        if limits is None:
            raise Failure("timeout", LATE)
        return limits
