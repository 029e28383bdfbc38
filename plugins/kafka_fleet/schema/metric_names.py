"""Names in Prometheus: takes how exporters spell them, gives the columns that each stands for.

A series is turned back into the MBean attribute of schema/mbeans.yaml that an exporter made it from.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean, Column
from kafka_fleet.schema.metric_spelling import Exact, Pattern, Spelling, exporter_name

TOTAL = "mean_total"  # in a row, until its count is there as well: what becomes its mean


class Source(NamedTuple):
    """A column that a metric may stand for.

    fixed: labels and their values that it must have; keyed: label -> MBean property; given: properties known already.
    like: labels whose values a pattern of mbeans.yaml asks for.
    """

    bean: Bean
    column: Column
    fixed: dict[str, str]
    keyed: dict[str, str]
    given: dict[str, str]
    factor: float = 1
    label: str | None = None
    like: tuple[tuple[str, str], ...] = ()

    @property
    def is_closed(self) -> bool:
        """Whether a series of this column has its labels and no others."""
        return self.label is None and not self.bean.mbean.endswith(",*")

    def fits(self, own: Mapping[str, str]) -> bool:
        """Whether a series with these labels of its own (names in lower case) is this column."""
        if not self._has_its_labels(own):
            return False
        return not self.is_closed or len(own) == len(self.fixed) + len(self.keyed)

    def further(self, own: Mapping[str, str]) -> set[str]:
        """Labels that a series has besides those of this column; none where it lacks one of these."""
        return own.keys() - self.fixed.keys() - self.keyed.keys() if self._has_its_labels(own) else set()

    def _has_its_labels(self, own: Mapping[str, str]) -> bool:
        if any(own.get(label) != value for label, value in self.fixed.items()) or not own.keys() >= self.keyed.keys():
            return False
        return all(fnmatchcase(own[label], pattern) for label, pattern in self.like)

    def properties(self, own: Mapping[str, str]) -> dict[str, str]:
        """The MBean's properties by the series' labels; those that a release may lack (`version`) where they are."""
        there = {
            key: own[exporter_name(key)] for key in mbeans.tables()[self.bean.table].keys if exporter_name(key) in own
        }
        found = {**there, **{name: own[label] for label, name in self.keyed.items()}}
        # as in an object name, a value with special characters is in quotes there
        return {name: mbeans.unquoted(value) for name, value in found.items()} | self.given


class Names(NamedTuple):
    """Columns by metric name in lower case, and the rules of metric_names.yaml on columns that cannot be missed.

    later: patterns of MBeans that a broker may lack. clients: columns of client_metrics by name in lower case.
    client_labels: labels, in lower case, by column. scraped: those of clients that an exporter in their JVM shows;
    releases: of these, the ones whose label `version` is the library's release.
    """

    sources: dict[str, list[Source]]
    required: dict[str, str]
    needs: dict[str, list[str]]
    whole: list[str]
    later: list[str] = []  # noqa: RUF012 - a NamedTuple's default
    clients: dict[str, str] = {}  # noqa: RUF012
    client_labels: dict[str, list[str]] = {}  # noqa: RUF012
    scraped: frozenset[str] = frozenset()
    releases: frozenset[str] = frozenset()

    def of(self, column: str) -> frozenset[str]:
        """The metric names, in lower case, that may give a column (`table.column`)."""
        return frozenset(name for name, found in self.sources.items() if any(_full(one) == column for one in found))

    def expression(self, column: str) -> str:
        """A regular expression of Prometheus for these names."""
        return "(?i:" + "|".join(sorted(self.of(column))) + ")"


def _full(source: Source) -> str:
    return f"{source.bean.table}.{source.column.name}"


def names_of(shipped: Spelling, own: Spelling | None = None) -> Names:
    """The names of metric_names.yaml, and those of a --map file."""
    both = (shipped, own) if own is not None else (shipped,)
    wildcards = {name: values for one in both for name, values in one.wildcards.items()}
    found: dict[str, list[Source]] = {}
    for one in both:
        for name, source in _patterns(one.names, wildcards):
            found.setdefault(name, []).append(source)
        for metric, columns in one.metrics.items():
            found.setdefault(metric.lower(), []).extend(_exact(column) for column in columns)
    clients = {metric: column for one in both for metric, column in one.clients.columns().items()}
    scraped = {metric: column for one in both for metric, column in one.clients.scraped.columns().items()}
    releases = frozenset(exporter_name(metric) for one in both for metric in one.clients.scraped.releases)
    known = Names(found, shipped.required, shipped.needs, shipped.whole, shipped.later)
    return known._replace(
        clients=scraped | clients,
        client_labels=shipped.clients.labels,
        scraped=releases | (scraped.keys() - clients.keys()),
        releases=releases,
    )


def _patterns(patterns: Iterable[Pattern], wildcards: Mapping[str, list[str]]) -> Iterable[tuple[str, Source]]:
    for bean in mbeans.readable():
        domain, properties = _split(bean)
        name = properties.get("name")
        for value in wildcards.get(name, [name]) if name is not None else [None]:
            own = {**properties, "name": value} if value is not None else properties
            for column in (one for one in bean.columns if one.type != "string"):  # samples are numbers
                for pattern in patterns:
                    yield from _named(bean, column, pattern, own, domain)


def _named(
    bean: Bean, column: Column, pattern: Pattern, properties: dict[str, str], domain: str
) -> Iterable[tuple[str, Source]]:
    attribute = re.fullmatch(pattern.attribute, column.attribute)
    name = re.fullmatch(pattern.name, properties["name"]) if pattern.name and "name" in properties else None
    if attribute is None or (pattern.name is None) != ("name" not in properties) or (pattern.name and name is None):
        return
    group = next((one[1] for one in (name, attribute) if one is not None and one.re.groups), "")
    fields = {"{domain}": domain, "{type}": properties["type"], "{attribute}": column.attribute, "{1}": group}
    fields["{name}"] = properties.get("name", "")

    def filled(template: str) -> str:
        return re.sub(r"\{\w+\}", lambda found: fields.get(found[0], found[0]), template)

    rest = {key: value for key, value in properties.items() if key not in ("type", "name")}
    fixed = {exporter_name(key): value for key, value in rest.items() if "*" not in value}
    fixed |= {exporter_name(label): filled(value) for label, value in pattern.labels.items()}
    keyed = {exporter_name(key): key for key, value in rest.items() if "*" in value}
    like = tuple((exporter_name(key), value) for key, value in rest.items() if "*" in value and value != "*")
    if bean.mbean.endswith(",*"):  # its keys are among the properties that it leaves open
        keys = (key for key in mbeans.tables()[bean.table].keys if key not in properties and key != "version")
        keyed |= {exporter_name(key): key for key in keys}
    given = {key: value for key, value in properties.items() if "*" not in value}
    if pattern.total:
        column = column._replace(name=TOTAL)
        bean = bean._replace(columns=(column,))
    for template in pattern.metric:
        yield exporter_name(filled(template)), Source(bean, column, fixed, keyed, given, like=like)


def _split(bean: Bean) -> tuple[str, dict[str, str]]:
    domain, _colon, rest = bean.mbean.partition(":")
    return domain, dict(pair.split("=", 1) for pair in rest.split(",") if pair != "*")


def _exact(one: Exact) -> Source:
    table, _dot, column = one.column.partition(".")
    bean = next(b for b in mbeans.tables()[table].beans if any(c.name == column for c in b.columns))
    found = next(c for c in bean.columns if c.name == column)
    given = {key: value for key, value in _split(bean)[1].items() if "*" not in value}
    keyed = {exporter_name(one.labels.get(key, key)): key for key in mbeans.tables()[table].keys if key not in given}
    return Source(bean, found, {}, keyed, given, one.factor, one.label)
