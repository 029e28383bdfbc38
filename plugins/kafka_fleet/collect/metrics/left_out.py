"""What a metrics endpoint does not show: takes a reading, gives MBeans without a sample, and what its rules leave out.

Strimzi's metrics reporter has an allow list in the place of rules, and some attributes that no list lets through.

Some MBeans are there after an event alone, or in some brokers: of them nobody can tell whether a rule is missing. The
others every broker of a release has, so that their rules are missing where their series are.
"""

from collections.abc import Collection
from fnmatch import fnmatchcase

from kafka_fleet.collect.metrics.reading import Reading, attribute_of
from kafka_fleet.knowledge.metric_tables import shipped_names
from kafka_fleet.knowledge.releases import comparable_release, parse_release
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.exporter_rules import edition
from kafka_fleet.schema.mbeans import Bean
from kafka_fleet.schema.reporter_allow_list import ALLOW_LIST, without_never_shown

SHOWN = 4  # MBeans of a sentence
MAKER = ":type=ReplicaManager,"  # whose fetches expire: all that counts from its first event is of it
FIRST = "2.0.0"  # where the release is not known, a broker is this or newer


def unseen(reading: Reading) -> list[str]:
    """MBeans without a sample, and attributes (`MBean/attribute`) of the others.

    One that Kafka makes at its first event counts 0 where it is known to be absent, and what makes it is there: a
    controller and a broker that has only begun to start have no such event.
    """
    missing = []
    makes = reading.complete and any(MAKER in mbean for mbean in reading.seen)
    for bean in _beans():
        lacking = [column for column in bean.columns if attribute_of(bean, column) not in reading.attributes]
        if len(lacking) < len(bean.columns):
            if not reading.complete:
                missing += [attribute_of(bean, column) for column in lacking]
            continue
        names = set[str]().union(*(reading.names.of(f"{bean.table}.{one.name}") for one in bean.columns if one.lazy))
        told = (makes or names & reading.shown) and not names & reading.unread  # a line that is broken may be its own
        if not (told and reading.rows.add_absent(bean)):
            missing.append(bean.mbean)
    return missing


def left_out(missing: Collection[str], release: object, assumed: str | None = FIRST) -> tuple[list[Bean], list[Bean]]:
    """MBeans that a broker of this release has, and those that it may have, with what is missing of them.

    missing: as `unseen` gives it. release: as the broker tells it; anything else is not known, and `assumed` holds:
    None is every release.
    """
    runs = comparable_release(release) if isinstance(release, str) else parse_release(assumed)
    later = shipped_names().later
    always, perhaps = list[Bean](), list[Bean]()
    for bean in _beans():
        for column in bean.columns:
            name, since = attribute_of(bean, column), parse_release(f"{column.since}.0")
            if not {name, bean.mbean} & set(missing) or (runs is not None and since is not None and runs < since):
                continue
            into = perhaps if any(fnmatchcase(text, one) for text in (name, bean.mbean) for one in later) else always
            into.append(bean._replace(columns=(column,)))
    return always, perhaps


def left_out_sentence(beans: list[Bean], found: str | None, by_reporter: bool = False) -> str:
    """One sentence for a broker's row. found: the edition of this project's rules that the endpoint has.

    by_reporter: it is Strimzi's metrics reporter; then the sentence, and no other, names its allow list.
    """
    if found is not None and found != edition():
        return "its rules are another edition of docs/exporter-rules.yml: take that of this version"
    beans = without_never_shown(beans) if by_reporter else beans
    if not beans and by_reporter:
        return f"its metrics reporter is Strimzi's: a counter that is not shown may be 0 or left out of {ALLOW_LIST}"
    if not beans:
        return "its rules are not docs/exporter-rules.yml, so a counter that is not shown may be 0 or left out"
    attributes: dict[str, list[str]] = {}
    for bean in beans:
        attributes.setdefault(bean.mbean, []).extend(column.attribute for column in bean.columns)
    every = without_never_shown(_beans()) if by_reporter else _beans()
    whole = {bean.mbean: len(bean.columns) for bean in every}
    names = [
        mbean if len(some) == whole[mbean] else f"{mbean} ({', '.join(some)})" for mbean, some in attributes.items()
    ]
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    if by_reporter:
        remedy = "kafka-fleet exporter-rules prints the entries to add to"
        return f"the metrics endpoint leaves out {shown}; {remedy} {ALLOW_LIST}"
    return f"the metrics endpoint leaves out {shown}; kafka-fleet exporter-rules prints the rules to add"


def _beans() -> list[Bean]:
    return mbeans.readable()
