"""What one answer of a metrics endpoint holds: takes its samples one by one, gives rows, and what it says of itself.

A series that is there twice has no value, and NaN is none: Kafka shows it for what was never measured.
"""

from collections.abc import Mapping

from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.jolokia.client import APP_INFO
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.collect.metrics.exposition import Sample
from kafka_fleet.collect.metrics.series import fill_means, number_of, take_series
from kafka_fleet.knowledge.metric_tables import shipped_names
from kafka_fleet.schema.exporter_rules import MARK, edition
from kafka_fleet.schema.mbeans import Bean, Column, Value, tables
from kafka_fleet.schema.metric_names import Source
from kafka_fleet.schema.metric_spelling import exporter_name
from kafka_fleet.schema.reporter_allow_list import OWN_ENDS

START = "process_start_time_seconds"
PROCESS = (START, "process_open_fds", "process_max_fds", "jvm_threads_deadlocked")  # of the exporter's own process
UPTIME, ERROR = "java_lang_runtime_uptime", "jmx_scrape_error"
MOST_NODES = 16  # Kafka processes in one: there is one
_OWN = (UPTIME, ERROR, MARK)
_OF_THE_JVM = "java.lang:"
_MOVING = frozenset({"is_future"})  # Kafka's own label that no column has: of the log that a replica is moved to
_APART_MS = 2_000  # two clocks of one process differ by less


def attribute_of(bean: Bean, column: Column) -> str:
    """An MBean, or a pattern of such, and one of its attributes."""
    return f"{bean.mbean}/{column.attribute}"


class Reading:
    """Rows and what else there is of one answer. shown: known metric names, in lower case; seen: MBeans.

    attributes: MBean and attribute, joined by a slash, that have a sample. unread: metric names of which some sample
    was there that could not be read, or is of no known MBean for its labels.
    """

    def __init__(self) -> None:
        self.names = shipped_names()
        self.rows = Rows()
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.shown: set[str] = set()
        self.unread: set[str] = set()
        self.node_ids: frozenset[int] = frozenset()
        self.edition: str | None = None
        self.uptime_ms: float | None = None
        self.oldest: float | None = None  # of the samples' own times
        self.labelled = False  # some series have labels besides Kafka's, as those of a Prometheus that federates
        self.plain = False  # some series of Kafka have its labels alone
        self._own: dict[str, Sample | None] = {}  # None: given twice
        self._failed = False
        self._series: set[int] = set()

    @property
    def complete(self) -> bool:
        """Whether what is not shown is not there: the endpoint has this project's rules, of this edition."""
        return self.edition == edition() and not self.labelled

    @property
    def by_reporter(self) -> bool:
        """Whether Strimzi's metrics reporter answers: by its names, and without what the JMX exporter shows of itself.

        Of a reporter whose allow list lets gauges alone through it is not known.
        """
        return ERROR not in self.shown and any(name.endswith(OWN_ENDS) for name in self.shown)

    @property
    def broker(self) -> dict[str, Value]:
        """The row of `broker_metrics`."""
        return self.rows.by_table["broker_metrics"].setdefault((), {})

    @property
    def of_kafka(self) -> bool:
        """Whether an MBean of Kafka's was seen: a process of any kind has a start and descriptors.

        Which one is left to the rules: some show no replicas, no release and no state, and a controller has few.
        """
        return any(not mbean.startswith(_OF_THE_JVM) for mbean in self.seen)

    def wanted(self, name: str) -> list[Source] | None:
        """The columns that a name may stand for; none for what the endpoint says of itself."""
        return [] if name in _OWN else self.names.sources.get(name)

    def take(self, name: str, sources: list[Source], sample: Sample | None) -> None:
        """Take one sample; None in its place is a line that cannot be read."""
        if sample is None:
            self.rows.unusable += 1
            self.unread.add(name)
            return
        if name in _OWN or name in PROCESS:
            if sample.labels.keys() == ({"version"} if name == MARK else set()):
                self._failed |= name == ERROR and sample.value in ("1", "1.0")
                self._own[name] = sample if name not in self._own else None
                self.rows.unusable += self._own[name] is None
                self.shown.add(name)
            else:  # of some process, and nobody knows of which
                self.labelled = True
            return
        labels = {exporter_name(label): value for label, value in sample.labels.items()}
        series = hash((name, *sorted(labels.items())))
        if len(labels) < len(sample.labels):  # two that are one to Kafka
            self.rows.unusable += 1
            self.unread.add(name)
            return
        if series in self._series:
            self._spoil(sources, labels)
            return
        self._series.add(series)
        if sample.value == "NaN":
            found = [source for source in sources if source.fits(labels)]
        else:
            found = take_series(self.rows, sources, labels, sample.labels, sample.value, self.seen)
        if not found and _has_more_labels(sources, labels):
            self.labelled = True
            self.unread.add(name)
            return
        self.shown.add(name)
        self._saw(found)
        self.plain |= any(source.is_closed and not source.bean.mbean.startswith(_OF_THE_JVM) for source in found)
        if sample.stamp is not None and (self.oldest is None or sample.stamp < self.oldest) and sample.value != "NaN":
            self.oldest = sample.stamp
        node = labels.get("id", "") if any(source.bean.mbean == APP_INFO for source in found) else ""
        if node.isascii() and node.isdigit() and len(self.node_ids) < MOST_NODES:
            self.node_ids |= {int(node[:10])}

    def _saw(self, found: list[Source]) -> None:
        for source in found:
            if source.label is None:
                self.seen.add(source.bean.mbean)
                self.attributes.add(attribute_of(source.bean, source.column))

    def _spoil(self, sources: list[Source], labels: dict[str, str]) -> None:
        for source in sources:
            if source.fits(labels):
                self.rows.spoil(source.bean, source.properties(labels), source.column.name)

    def finish(self) -> None:
        """Take what the endpoint says of itself and its process. Raises Failure where its own read failed."""
        if self._failed:
            raise Failure("exporter", "the exporter says that it could not read the broker (jmx_scrape_error 1)")
        if (mark := self._own.get(MARK)) is not None:
            self.edition = mark.labels.get("version", "")[:64]
        if (uptime := self._number(UPTIME)) is not None:
            self.uptime_ms = uptime
        fill_means(self.rows)
        for bean in tables()["broker_metrics"].beans:  # texts are labels, each of a series of its own
            texts = [column for column in bean.columns if column.type == "string" and self.broker.get(column.name)]
            self.attributes.update(attribute_of(bean, column) for column in texts)
        start = self._number(START)
        if start is not None and self._is_broker(round(start * 1000)):
            for name in PROCESS:
                sources, own = self.names.sources[name], self._own.get(name)
                if own is not None and self.broker.get(sources[0].column.name) is None:
                    self._saw(take_series(self.rows, sources, {}, {}, own.value, self.seen))

    def _is_broker(self, start_ms: int) -> bool:
        """Whether a process that began then is the broker's: an exporter may stand beside it, on a port of its own.

        Kafka begins after its process by as long as its logs take to load, so its own start does not tell.
        """
        jvm = self.broker.get("jvm_start_ms")
        if isinstance(jvm, int):
            return abs(jvm - start_ms) <= _APART_MS
        return self.broker.get("app_start_ms") is None

    def _number(self, name: str) -> float | None:
        sample = self._own.get(name)
        plain = self.names.sources[START][0]._replace(factor=1)
        number = number_of(sample.value, plain) if sample is not None else None
        return number if number is not None and 0 <= number < 2**63 else None

    def nothing(self) -> str:
        """Why no sample was of use, one sentence."""
        if self.labelled:
            return "its series have labels of their own besides Kafka's; ask the exporter itself, not what collects it"
        return "none of the wanted metrics is there; is this a Kafka broker?"


def _has_more_labels(sources: list[Source], labels: Mapping[str, str]) -> bool:
    """Whether a series would be one of these columns but for labels that no MBean of Kafka has."""
    return any(more and not more & _MOVING for more in (source.further(labels) for source in sources))
