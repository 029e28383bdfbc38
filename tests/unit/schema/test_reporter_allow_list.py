"""Entries for the allow list of Strimzi's metrics reporter, against what it showed of a broker without one."""

import re

import yaml

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.reporter_allow_list import entries_for, entry_of, without_never_shown
from support.builders.metric_answers import allowed, families, read_text, recorded

TEXT = recorded("strimzi-reporter")
EVERY = mbeans.readable()
NOT_READ = ("OneMinuteRate", "Min", "Max", "StdDev", "StartTimeMs")


def attributes(beans: list[mbeans.Bean]) -> set[str]:
    return {column.attribute for bean in beans for column in bean.columns}


def test_what_has_no_entry_is_what_the_reporter_never_shows() -> None:
    shown = without_never_shown(EVERY)
    jvm = attributes([bean for bean in EVERY if bean.mbean.startswith("java.lang:")])
    assert attributes(EVERY) - attributes(shown) == {*NOT_READ, *jvm}
    assert all(entry_of(bean, column) for bean in shown for column in bean.columns)


def test_each_entry_matches_the_whole_name_before_and_after_its_end() -> None:
    """The reporter compares before it ends the name; lists of Strimzi's operator have names with their ends."""
    entries = [entry_of(bean, column) for bean in EVERY for column in bean.columns]
    for kind, name in ((r"_total", "kafka_server_replicamanager_isrexpandspersec"),
                       (r"_info", "kafka_server_app_info_version"),
                       ("", "kafka_network_requestmetrics_localtimems"),
                       ("", "kafka_server_socket_server_metrics_connection_creation")):  # fmt: skip
        assert any(entry and re.fullmatch(entry, name) for entry in entries)
        assert any(entry and re.fullmatch(entry, name + kind) for entry in entries)
    assert not any(entry and re.fullmatch(entry, "kafka_server_replicamanager") for entry in entries)


def test_all_entries_together_let_through_what_is_read_and_little_else() -> None:
    lines = entries_for(EVERY)
    assert len(lines) == len(set(lines))
    entries = yaml.safe_load("\n".join(lines))
    assert all(isinstance(entry, str) and "," not in entry for entry in entries), "the property has commas between them"
    whole, listed = read_text(TEXT), read_text(allowed(TEXT, entries))
    assert listed.rows.by_table == whole.rows.by_table
    assert listed.missing == whole.missing
    kept = [name for name in families(TEXT) if name in families(allowed(TEXT, entries)) and name.startswith("kafka")]
    assert len(kept) < len(families(TEXT)) / 4


def test_a_label_is_no_part_of_a_name() -> None:
    (bean,) = (bean for bean in EVERY if bean.mbean.endswith("name=*TimeMs,request=Produce"))
    assert entries_for([bean]) == ['- "kafka_network_requestmetrics_.*timems.*"']
