"""Endpoints of Strimzi's metrics reporter: they are told from the JMX exporter's, and their remedy is an allow list."""

import re

import pytest
import yaml

from kafka_fleet.cli import main as cli
from kafka_fleet.collect import sweep as module
from kafka_fleet.collect.metrics.left_out import left_out, left_out_sentence
from kafka_fleet.schema.mbeans import readable
from kafka_fleet.schema.reporter_allow_list import ALLOW_LIST, ALLOW_LIST_PROPERTY, entries_for
from support.builders.metric_answers import RULE_SETS, allowed, lines_without, read_text, recorded
from support.builders.swept_clusters import NO_ADMIN
from support.servers.metric_endpoints import endpoints, swept

WHOLE = recorded("strimzi-reporter")
# what Strimzi's operator gives where the resource has no list of its own; names with an end match nothing
DEFAULT = [
    "kafka_cluster_partition.*", "kafka_controller_kafkacontroller.*",
    "kafka_controller_controllerstats_uncleanleaderelectionspersec_total", "kafka_log_log_size",
    "kafka_network_requestmetrics.*", "kafka_network_socketserver_networkprocessoravgidlepercent",
    "kafka_server_app_info.*", "kafka_server_brokertopicmetrics.*",
    "kafka_server_kafkarequesthandlerpool_requesthandleravgidlepercent_total", "kafka_server_kafkaserver_brokerstate",
    "kafka_server_kafkaserver_clusterid_info", "kafka_server_kafkaserver_linux.*", "kafka_server_raft.*",
    "kafka_server_replicamanager.*", "kafka_server_request_queue_size", "kafka_server_socket_server.*",
]  # fmt: skip
SOME = allowed(WHOLE, DEFAULT)
REMEDY = f"; kafka-fleet exporter-rules prints the entries to add to {ALLOW_LIST}"
NEVER = re.compile(r"\b(Min|Max|StdDev|OneMinuteRate|StartTimeMs|java\.lang)\b")
TIMES = "kafka.network:type=RequestMetrics,name=*TimeMs,request="


@pytest.fixture(autouse=True)
def no_kafka(monkeypatch):
    monkeypatch.setattr(module, "sweep_admin", lambda *_: NO_ADMIN)


def test_what_its_allow_list_leaves_out_is_said_with_the_entries_as_remedy():
    found = read_text(SOME)
    assert found.outcome == "truncated"
    assert "the metrics endpoint leaves out kafka.log:type=Log,name=LogEndOffset" in found.detail
    assert found.detail.endswith(REMEDY)
    assert "rules to add" not in found.detail
    always, _perhaps = left_out(found.missing, "3.9.1")
    assert {"Min", "OneMinuteRate"} <= {bean.columns[0].attribute for bean in always}, "they are missing all the same"
    assert not NEVER.search(found.detail)


def test_attributes_that_it_never_shows_are_in_no_sentence_of_it():
    found = read_text(allowed(WHOLE, [entry for entry in DEFAULT if "requestmetrics" not in entry]))
    always, _perhaps = left_out(found.missing, "3.9.1")
    times = [bean for bean in always if bean.mbean.startswith(TIMES)]
    assert NEVER.search(left_out_sentence([one for one in times if one.columns[0].attribute != "Mean"], None))
    names = [f"{TIMES}{request}" for request in ("Produce", "FetchConsumer", "FetchFollower")]
    told = left_out_sentence(times, None, by_reporter=True)
    assert told == f"the metrics endpoint leaves out {', '.join(names)}{REMEDY}", "all that it can show is missing"
    part = left_out_sentence([one for one in times if one.columns[0].attribute in ("Mean", "Max")], None, True)
    assert part.startswith(f"the metrics endpoint leaves out {names[0]} (Mean), ")


def test_where_only_what_it_never_shows_is_missing_no_remedy_is_named():
    found = read_text(WHOLE)
    told = f"its metrics reporter is Strimzi's: a counter that is not shown may be 0 or left out of {ALLOW_LIST}"
    assert (found.outcome, found.detail) == ("partial", told)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_an_answer_of_the_jmx_exporter_is_none_of_the_reporter(rules):
    for text in (recorded(rules), lines_without(recorded(rules), "jmx_")):
        found = read_text(text)
        assert ALLOW_LIST not in (found.detail or "")
        assert found.outcome in ("ok", "partial")
    both = read_text(SOME + b"jmx_scrape_error 0.0\n")
    assert both.detail.endswith("prints the rules to add"), "rules that give the names of the reporter"


def test_the_entries_that_a_cluster_lacks_are_printed_and_show_all_that_the_reporter_can(tmp_path, capsys):
    with endpoints(SOME, SOME) as urls:
        one = swept(tmp_path, urls)[0]
    assert cli.main(["exporter-rules", "--home", str(tmp_path), "--cluster", one.cluster]) == 0
    said = capsys.readouterr().out
    first, second, third, *_rest = said.splitlines()
    assert first == f"# {one.cluster}: to be added to {ALLOW_LIST}, or {ALLOW_LIST_PROPERTY}"
    assert "take all of exporter-rules --allow-list" in second
    assert third == "# left out"
    assert "pattern:" not in said
    printed = yaml.safe_load(said)
    assert len(printed) == len(set(printed))
    assert "kafka_log_log_logendoffset.*" in printed
    assert not any("requestmetrics_.*timems" in entry for entry in printed), "its times are shown, all but extremes"
    mended = read_text(allowed(WHOLE, [*DEFAULT, *printed]))
    assert (mended.outcome, mended.missing) == ("partial", read_text(WHOLE).missing)
    assert "leaves out" not in mended.detail


def test_the_whole_allow_list_is_printed_and_a_cluster_asks_for_what_it_lacks(tmp_path, capsys):
    assert cli.main(["exporter-rules", "--allow-list"]) == 0
    assert yaml.safe_load(capsys.readouterr().out) == yaml.safe_load("\n".join(entries_for(readable())))
    assert cli.main(["exporter-rules", "--allow-list", "--home", str(tmp_path), "--cluster", "a"]) == 2
    assert "takes --allow-list alone" in capsys.readouterr().err


def test_a_cluster_that_is_being_moved_from_one_to_the_other_has_both_remedies(tmp_path, capsys):
    other = recorded("strimzi-4.3.2").replace(b'id="1"', b'id="2"')
    with endpoints(SOME, other) as urls:
        one = swept(tmp_path, urls)[0]
    assert cli.main(["exporter-rules", "--home", str(tmp_path), "--cluster", one.cluster]) == 0
    rules, listed = capsys.readouterr().out.split(f"# {one.cluster}: to be added to ")
    assert rules.startswith(f"# {one.cluster}: to be put before the other rules")
    assert all("pattern" in rule for rule in yaml.safe_load(rules))
    assert all(isinstance(entry, str) for entry in yaml.safe_load("# " + listed))
