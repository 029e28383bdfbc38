"""A source beside a fleet file: what is new, what differs, what is gone; appended, and never anything else written."""

import json

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.config.fleet import load_fleet
from support.builders.discovered import BY_HAND, DATA, LIST


def test_a_file_is_made_and_a_second_run_appends_nothing_and_says_so(call, tmp_path):
    code, said, _ = call(LIST)
    assert (code, (tmp_path / "fleet.yaml").exists()) == (2, False)
    assert "fleet.yaml: is not there; --write makes it" in said
    code, said, made = call(LIST, "--write")
    assert code == 0
    assert "payments (payments): appended\norders (orders): appended\n" in said
    assert said.endswith("fleet.yaml: 2 blocks appended\n")
    assert [one.id for one in load_fleet(tmp_path / "fleet.yaml").clusters] == ["payments", "orders"]
    code, said, again = call(LIST, "--write")
    assert (code, again) == (0, made)
    assert said.endswith("fleet.yaml: nothing appended\n")
    code, said, _ = call(LIST)
    assert (code, said.strip().endswith("2 clusters of this source, no difference")) == (0, True)


def test_blocks_are_appended_as_the_file_is_written_and_not_a_byte_of_it_is_changed(call, tmp_path):
    (tmp_path / "fleet.yaml").write_text(BY_HAND)
    (tmp_path / "fleet.yaml").chmod(0o640)
    code, said, text = call(LIST, "--write")
    assert code == 0
    assert text.startswith(BY_HAND)
    assert "\n    - id: payments\n      environment: production" in text
    assert "not of this source, left alone: lab" in said
    fleet = load_fleet(tmp_path / "fleet.yaml")
    assert ([one.id for one in fleet.clusters], fleet.errors) == (["lab", "payments", "orders"], [])
    assert (tmp_path / "fleet.yaml").stat().st_mode & 0o777 == 0o640


def test_the_next_run_shows_what_differs_what_is_new_and_what_is_gone(call):
    call(LIST, "--write")
    changed = "payments b1:9092,b3:9092 owner=b@example.org env=test\nevents e1:9092\n"
    _, _, before = call(LIST)
    code, said, after = call(changed)
    assert (code, after) == (1, before)
    assert "fleet.yaml, line 5: payments differs from payments\n" in said
    assert '-   bootstrap_servers: ["b1:9092", "b2:9092"]\n+   bootstrap_servers: ["b1:9092", "b3:9092"]\n' in said
    assert '-   owners: ["a@example.org"]\n+   owners: ["b@example.org"]\n' in said
    assert "-   environment: production\n+   environment: staging\n" in said
    assert "  # - id: events\n" in said
    assert "orders is of orders, which" in said
    code, said, written = call(changed, "--write")
    assert code == 0
    assert written.startswith(before)
    assert "payments differs" in said
    assert 'bootstrap_servers: ["b1:9092", "b2:9092"]' in written


def test_a_block_that_waits_is_not_written_twice_and_is_known_once_it_is_filled_in(call, tmp_path):
    _, _, text = call("events e1:9092\n", "--write")
    assert "  # - id: events\n" in text
    code, said, again = call("events e1:9092\n", "--write")
    assert (code, again) == (0, text)
    assert "events: stands in" in said
    assert call("events e1:9092\n")[0] == 1
    filled = text.replace("environment: FILL-IN", "environment: staging").replace("[FILL-IN]", "[a@example.org]")
    (tmp_path / "fleet.yaml").write_text(filled.replace("  # - id", "  - id").replace("  #   ", "    "))
    assert load_fleet(tmp_path / "fleet.yaml").errors == []
    code, said, _ = call("events e1:9092\n")
    assert (code, "1 cluster of this source, no difference" in said) == (0, True)


def test_agents_and_logins_of_the_file_are_compared(call, tmp_path):
    text = (DATA / "confluent-hosts.yml").read_text()
    _, _, made = call(text, "--write", source="confluent")
    kept = made.replace(":7771/jolokia", ":9999/jolokia")
    kept = "".join(line for line in kept.splitlines(keepends=True) if "kafka_connection" not in line)
    (tmp_path / "fleet.yaml").write_text(kept)
    code, said, _ = call(text, source="confluent")
    assert code == 1
    assert '-   jolokia.url_template: "https://{host}:9999/jolokia"\n' in said
    assert '+   jolokia.url_template: "https://{host}:7771/jolokia"\n' in said
    assert "-   kafka_connection is not there\n" in said


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("clusters: [{id: a}]\nversion: 1\n", "a list in brackets cannot be appended to"),
        ("version: 1\nclusters: []\n", "a list in brackets cannot be appended to"),
        (BY_HAND + "notes: 1\n", "the blocks cannot be appended; end the file with the list of clusters"),
        ("services: {}\n", "must be a mapping with version: 1 and a list of clusters"),
        ("- a\n", "must be a mapping with version: 1"),
        ("version: 1\nclusters: [\n", "is not valid YAML"),
        ("version: 2\nclusters:\n", "version: must be 1"),
    ],
)
def test_a_file_that_cannot_be_appended_to_stays_as_it_is(call, tmp_path, content, sentence):
    (tmp_path / "fleet.yaml").write_text(content)
    code, said, after = call(LIST, "--write")
    assert (code, after) == (2, content)
    assert sentence in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("content", ["", "# ours\n", "version: 1\nclusters:\n", "version: 1\nclusters:\n  # none yet"])
def test_a_file_without_clusters_gets_them(call, tmp_path, content):
    (tmp_path / "fleet.yaml").write_text(content)
    code, _, after = call(LIST, "--write")
    assert code == 0
    assert after.startswith(content)
    assert len(load_fleet(tmp_path / "fleet.yaml").clusters) == 2


def test_a_broken_entry_of_the_file_hinders_nobody(call, tmp_path):
    (tmp_path / "fleet.yaml").write_text("version: 1\nclusters:\n- id: broken\n- 7\n- {owners: 3}\n")
    code, _, after = call(LIST, "--write")
    assert code == 0
    assert "\n- id: orders\n" in after
    assert len(load_fleet(tmp_path / "fleet.yaml").clusters) == 2


def test_a_link_is_not_followed(call, tmp_path):
    (tmp_path / "real.yaml").write_text(BY_HAND)
    (tmp_path / "fleet.yaml").symlink_to(tmp_path / "real.yaml")
    code, said, _ = call(LIST, "--write")
    assert code == 2
    assert "is not written: it is a link" in said
    assert (tmp_path / "real.yaml").read_text() == BY_HAND


def test_a_fleet_file_in_json_is_compared(call, tmp_path):
    entry = {
        "id": "payments",
        "environment": "production",
        "owners": ["a@example.org"],
        "bootstrap_servers": ["b1:9092"],
    }
    (tmp_path / "fleet.yaml").write_text(json.dumps({"version": 1, "clusters": [entry]}))
    code, said, _ = call(LIST)
    assert code == 1
    assert '-   bootstrap_servers: ["b1:9092"]\n' in said


def test_one_file_is_made_of_five_sources(call, tmp_path, capsys):
    for source, name in (
        ("strimzi", "strimzi-list.yaml"),
        ("msk", "msk-clusters.json"),
        ("confluent", "confluent-hosts.yml"),
        ("compose", "docker-compose.yml"),
        ("hosts", "hosts.txt"),
    ):
        words = ("--write", "--owner", "platform@example.org", "--environment", "staging")
        text = (DATA / name).read_text()
        assert call(text, *words, source=source)[0] == 0
        code, said, after = call(text, *words, source=source)
        assert (code, said.splitlines()[-1].endswith("nothing appended"), "canary" in after) == (0, True, False)
    assert cli.main(["check", "--fleet", str(tmp_path / "fleet.yaml")]) == 0
    assert ": 7 valid clusters, 0 errors" in capsys.readouterr().out
