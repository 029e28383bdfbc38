"""Mistakes in the fleet file are named with the line that an editor shows, and with the name that was meant."""

from pathlib import Path

import pytest

from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.base.yaml_lines import YamlLines
from kafka_fleet.config.fleet import load_fleet

TEXT = """# the fleet
version: 1
clusters:
  - id: payments-eu
    environment: production
    owners:
      - payments-oncall@example.org
      - second@example.org
    bootstrap_servers: ["broker-1.example.org:9092"]
    jolokia:
      brokers:
        1: "http://broker-1.example.org:8778/jolokia"
    client_configs:
      groups: {"billing-*": {client.rack: set}}
      producers:
        - {software: apache-kafka-java, version: "<2.1"}
    thresholds:
      fetch_latency: {min_ratio: 0.3}
"""


def errors(path: Path, before: str, after: str) -> list[str]:
    """What is said of the text after one change."""
    assert TEXT.count(before) == 1
    path.write_text(TEXT.replace(before, after))
    return [str(one).removeprefix(str(path)) for one in load_fleet(path).errors]


CHANGES = [
    ("environment: production", "environment: prod", 5, "environment: must be", "not 'prod'; did you mean production?"),
    ("second@example.org", "second", 8, "owners, entry 2: must be an e-mail address", ""),
    ("bootstrap_servers:", "bootstrap_server:", 9, "bootstrap_server: unknown key", "did you mean bootstrap_servers?"),
    ("brokers:", "broker:", 11, "jolokia.broker: unknown key", "did you mean brokers?"),
    ("http://broker-1", "file://broker-1", 12, "jolokia.brokers.1: must", ""),
    ("client.rack", "client.rak", 14, "client_configs.groups.billing-*.client.rak: ", "did you mean client.rack?"),
    ("kafka-java", "kafka-jva", 16, "client_configs.producers, entry 1, software: ", "mean apache-kafka-java?"),
    ("software: ", "sofware: ", 16, "client_configs.producers, entry 1, ", ""),
    ("fetch_latency", "fetch_latencies", 18, "thresholds.fetch_latencies: no such", "did you mean fetch_latency?"),
    ("min_ratio: 0.3", "min_ration: 0.3", 18, "thresholds.fetch_latency.min_ration: ", "did you mean min_ratio?"),
    ("min_ratio: 0.3", "min_ratio: 30", 18, "thresholds.fetch_latency.min_ratio: must be 0.01 to 1, not 30", ""),
    ("    environment: production\n", "", 4, "environment: is required", ""),
    ("clusters:", "extra: 1\nclusters:", 3, "extra: unknown key; allowed: version, clusters", ""),
]


@pytest.mark.parametrize(("before", "after", "line", "begins", "meant"), CHANGES, ids=[one[1] for one in CHANGES])
def test_a_mistake_is_named_with_its_line_and_what_was_meant(
    tmp_path: Path, before: str, after: str, line: int, begins: str, meant: str
) -> None:
    for one in errors(tmp_path / "fleet.yaml", before, after):
        where = f", line {line}: " if begins.startswith("extra") else f", line {line}: cluster payments-eu: "
        assert one.startswith(where + begins)
        assert meant in one


def test_a_misspelled_key_is_one_mistake_and_not_also_a_missing_one(tmp_path: Path) -> None:
    assert len(errors(tmp_path / "fleet.yaml", "bootstrap_servers:", "bootstrap_server:")) == 1
    assert len(errors(tmp_path / "fleet.yaml", "bootstrap_servers:", "colour:")) == 2


def test_a_second_entry_of_an_id_is_named_by_its_own_line(tmp_path: Path) -> None:
    before = "  - id: payments-eu\n"
    *_first, one = errors(tmp_path / "fleet.yaml", before, "  - {id: payments-eu}\n" + before)
    assert one == ", line 5: cluster entry 2: id: payments-eu is used by an earlier entry; ids are unique"


def test_a_library_that_is_merely_another_one_may_be_declared(tmp_path: Path) -> None:
    for name in ("librdkafka", "apache-kafka-javascript", "sarama"):
        assert errors(tmp_path / "fleet.yaml", "apache-kafka-java", name) == []


def test_a_misspelled_list_of_clusters_is_named(tmp_path: Path) -> None:
    with pytest.raises(FleetFileError, match=r"a list of clusters; it has no key clusters, but clusterz$"):
        errors(tmp_path / "fleet.yaml", "clusters:", "clusterz:")


def test_lines_of_places_that_are_and_are_not_in_the_file() -> None:
    lines = YamlLines(TEXT)
    assert lines.line(()) == 1
    assert lines.line(("clusters", 0)) == 4
    assert lines.line(("clusters", 0, "owners", 1)) == 8
    assert lines.line(("clusters", 0, "owners", 7)) == 6
    assert lines.line(("clusters", 0, "jolokia", "brokers", 1)) == 12
    assert lines.line(("clusters", 0, "jolokia", "brokers", 1, "[key]")) == 12
    assert lines.line(("clusters", 0, "client_configs", "producers", 0, "tag", "version")) == 16
    assert YamlLines("").line(("clusters",)) == 1


@pytest.mark.parametrize(
    ("before", "after", "line", "hint"),
    [
        ("    owners:", "\towners:", 6, "indent with spaces, not with tabs"),
        ("    environment:", "     environment:", 5, "put a value with a colon in quotes"),
        ("    environment:", "   environment:", 5, "more or fewer spaces than its neighbours"),
        ('["broker-1.example.org:9092"]', '["broker-1.example.org:9092"', 10, "has commas, and ends in ]"),
        ("{min_ratio: 0.3}", "{min_ratio: 0.3", 19, "has commas, and ends in }"),
    ],
)
def test_what_yaml_says_of_a_slip_ends_in_what_to_do(
    tmp_path: Path, before: str, after: str, line: int, hint: str
) -> None:
    with pytest.raises(FleetFileError) as caught:
        errors(tmp_path / "fleet.yaml", before, after)
    assert f"fleet.yaml, line {line}: is not valid YAML: " in str(caught.value)
    assert hint in str(caught.value)
