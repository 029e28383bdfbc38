"""Rules of the JMX exporter: takes mbeans.yaml, gives the file that shows everything a sweep reads, and parts of it.

A rule without a name writes the exporter's own names, which metric_names.yaml knows, so the rules do not differ from
the tables. The file says what it is by a metric of its own: what an endpoint with it does not show is not there.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import cache

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.mbeans import Bean

MARK = "kafka_fleet_exporter_rules"  # label `version`: which edition of the file
_HEAD = """\
# Rules of the Prometheus JMX exporter that show all that Kafka Fleet Health reads, and nothing else. They are made
# of plugins/kafka_fleet/schema/mbeans.yaml by docs/generate.py; docs/metrics_endpoint.md says how they are used.
# Names are the exporter's own, such as kafka_server_brokertopicmetrics_count{name="MessagesInPerSec"}.
lowercaseOutputName: true
"""
_TEXTS = (
    ("kafka.server<type=app-info, id=(.+)><>Version: (.+)", "kafka_server_app_info", {"id": "$1", "version": "$2"}),
    ("kafka.server<type=app-info, id=(.+)><>CommitId: (.+)", "kafka_server_app_info", {"id": "$1", "commit_id": "$2"}),
)
_CLOCK = ("java.lang:type=Runtime", ("Uptime",))  # when the values were read, by the broker's clock


def rule_of(mbean: str, attributes: Iterable[str]) -> str:
    """The rule that shows these attributes of an MBean or pattern, as one line of YAML."""
    domain, _colon, rest = mbean.partition(":")
    parts = []
    for pair in rest.split(","):
        if pair == "*":
            parts.append("(, .+)?")
            continue
        key, _equals, value = pair.partition("=")
        number = r"\d+" if key in ("partition", "networkProcessor") else "[^,]+"
        text = number if value == "*" else re.escape(value).replace(r"\*", r"\w*").replace(r"\-", "-")
        parts.append(f"{', ' if parts else ''}{key}={text}")
    names = "|".join(dict.fromkeys(attributes))
    return f"- {{pattern: '{domain}<{''.join(parts)}><>({names}):', cache: true}}"


def rules_for(beans: Iterable[Bean]) -> list[str]:
    """The rules that show these MBeans, those of values that are text last.

    A rule on a value cannot be cached: before the others it would be tried on each of very many replicas at each read.
    """
    attributes: dict[str, list[str]] = {}
    texts: list[str] = []
    for bean in beans:
        for column in bean.columns:
            if column.type == "string":
                texts += [_text(*one) for one in _TEXTS if f"<>{column.attribute}:" in one[0]]
            else:
                attributes.setdefault(bean.mbean, []).append(column.attribute)
    return [*(rule_of(mbean, names) for mbean, names in attributes.items()), *dict.fromkeys(texts)]


def _text(pattern: str, name: str, labels: dict[str, str]) -> str:
    named = ", ".join(f'{label}: "{value}"' for label, value in labels.items())
    return f"- {{pattern: '{pattern}', name: {name}, value: 1, labels: {{{named}}}}}"


@cache
def _body() -> str:
    every = mbeans.readable()
    names = sorted({mbeans.requested_name(bean) for bean in every})
    asked = "".join(f"  - '{name}'\n" for name in names)
    rules = "".join(f"  {line}\n" for line in [*rules_for(every), rule_of(*_CLOCK)])
    return f"includeObjectNames:\n{asked}rules:\n{rules}"


@cache
def edition() -> str:
    """Which MBeans the file shows, in eight hexadecimal digits."""
    return hashlib.sha256(_body().encode()).hexdigest()[:8]


def rules_file() -> str:
    """The whole file."""
    mark = _text("java.lang<type=Runtime><>SpecVersion: .+", MARK, {"version": edition()})
    return f"{_HEAD}{_body()}  {mark}\n"
