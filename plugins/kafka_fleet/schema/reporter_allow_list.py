"""The allow list of Strimzi's metrics reporter: takes MBeans of mbeans.yaml, gives the entries that show them.

The reporter has no rules. It compares each entry, a regular expression, with the whole name of a metric before it ends
that name in _total, _count, _sum or _info; which end it has is therefore left open. What it shows of a metric is fixed.
"""

from collections.abc import Iterable

from kafka_fleet.schema.mbeans import Bean, Column
from kafka_fleet.schema.metric_spelling import exporter_name

ALLOW_LIST = "metricsConfig.values.allowList"  # of Strimzi's resource Kafka
ALLOW_LIST_PROPERTY = "prometheus.metrics.reporter.allowlist"  # of a broker that Strimzi does not run
# of meters, gauges and histograms: not their rates, extremes and deviation
_SHOWN = ("Count", "Value", "Mean")
_PERCENTILE = "thPercentile"
_TEXTS = {"Version": "version", "CommitId": "commit_id"}  # attributes of app-info, by the name of their metrics
# ends of names, in lower case, that rules of the JMX exporter do not give: of meters, of sums, of texts
OWN_ENDS = ("persec_total", "timems_sum", "_version_info", "_commit_id_info")


def entry_of(bean: Bean, column: Column) -> str | None:
    """The entry that shows an attribute; None for one that the reporter never shows."""
    domain, _colon, rest = bean.mbean.partition(":")
    properties = dict(pair.split("=", 1) for pair in rest.split(",") if pair != "*")
    if "name" in properties:
        there = column.attribute in _SHOWN or column.attribute.endswith(_PERCENTILE)
        last: str | None = properties["name"] if there else None
    else:  # metrics of Kafka's own kind have small letters; attributes of the JVM and of app-info have not
        last = column.attribute if column.attribute.islower() else _TEXTS.get(column.attribute)
    if last is None:
        return None
    parts = [exporter_name(part) for part in f"{domain}_{properties['type']}_{last}".split("*")]
    return ".*".join(parts).removesuffix("_total") + ".*"


def without_never_shown(beans: Iterable[Bean]) -> list[Bean]:
    """The MBeans with those of their attributes that some allow list shows."""
    kept = []
    for bean in beans:
        columns = tuple(column for column in bean.columns if entry_of(bean, column) is not None)
        if columns:
            kept.append(bean._replace(columns=columns))
    return kept


def entries_for(beans: Iterable[Bean]) -> list[str]:
    """The entries that show these MBeans, each once, as lines of YAML."""
    found = (entry_of(bean, column) for bean in beans for column in bean.columns)
    return [f'- "{entry}"' for entry in dict.fromkeys(found) if entry is not None]
