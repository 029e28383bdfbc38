"""The advisory files, their faults, and the exposure of clusters to them."""

from pathlib import Path

import pytest
import yaml

from kafka_fleet.knowledge.advisories import Advisory, AdvisoryError, load_advisories
from kafka_fleet.knowledge.releases import apache_release, catalogue

ADVISORIES = load_advisories()
FOLDER = Path(__file__).parents[1] / "plugins" / "kafka_fleet" / "knowledge" / "advisories"
SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
DEFAULTS: dict[str, str | None] = {"replica.selector.class": "", "listeners": "PLAINTEXT://:9092"}
CAUSES = {
    "partition_skew": {"leader_bound", "key_bound", "adaptive"},
    "isr_stagnation": {"frozen", "dead_broker", "catching_up", "reassignment"},
    "fetch_latency": {"follower", "redirect", "min_bytes", "tls_poll"},
    "reconnect_storm": {"restart", "leader_move", "deploy", "auth_failures"},
    "unclean_restart": {"killed", "clean_roll", "long_recovery"},
    "partition_growth": {"growth", "first_start", "offsets_expired"},
    "offset_rewind": {"stale_load", "truncation", "manual"},
    "retriable_errors": {"election", "min_isr", "timeout"},
}


def test_every_file_is_loaded_and_names_contract_words() -> None:
    assert set(ADVISORIES) == {file.stem for file in FOLDER.glob("*.yaml")}
    for advisory in ADVISORIES.values():
        if advisory.signature is not None:
            assert set(advisory.signature.causes) <= CAUSES[advisory.signature.id], advisory.id


def test_published_fixes_are_published_and_not_affected() -> None:
    announced = set(catalogue().announced)
    for advisory in ADVISORIES.values():
        assert advisory.affected is not None
        for text in advisory.affected.fixed:
            release = apache_release(text)
            assert release in announced or text in ("4.3.2", "3.3.0"), f"{advisory.id} names {text}"
            assert release not in advisory.affected.releases
        assert any(release in advisory.affected.releases for release in announced), advisory.id


def broken(tmp_path: Path, **changes: object) -> str:
    content = yaml.safe_load((FOLDER / "KAFKA-14334.yaml").read_text())
    (tmp_path / "KAFKA-14334.yaml").write_text(yaml.safe_dump({**content, **changes}))
    with pytest.raises(AdvisoryError) as caught:
        load_advisories(tmp_path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"typo": 1}, "KAFKA-14334.yaml: typo:"),
        ({"severity": "urgent"}, "KAFKA-14334.yaml: severity:"),
        ({"components": ["brokers"]}, "KAFKA-14334.yaml: components.0:"),
        ({"id": "KAFKA-1"}, "KAFKA-14334.yaml: id:"),
        ({"upgrade_component": "client"}, "upgrade_component client is not among components"),
        ({"affected": {"introduced": "3.3.0", "fixed": ["3.2.0"]}}, "KAFKA-14334.yaml: affected:"),
        ({"affected": {"fixed": ["3.3.1", "3.3.2"]}}, "line 3.3 twice"),
        ({"summary": "no full stop at the end"}, "KAFKA-14334.yaml: summary:"),
        ({"signature": {"id": "fetch_latency", "causes": ["follower", "follower"]}}, "repeats an entry"),
        ({"preconditions": [{"id": "x", "kind": "required", "description": "long enough"}]}, "needs a test"),
    ],
)
def test_faults_name_file_and_field(tmp_path: Path, changes: dict[str, object], where: str) -> None:
    assert where in broken(tmp_path, **changes)


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ({"shell": "rm"}, "must use one of"),
        ({"broker_config": "a", "is": "set", "value": 1}, "takes no value"),
        ({"broker_config": "a", "is": "at_least"}, "needs a value"),
        ({"broker_config": "a", "is": "at_least", "value": "many"}, "is no number"),
        ({"broker_config": "a", "is": "version_below", "value": "new"}, "no protocol or metadata version"),
        ({"client_config": "a", "is": "set", "of": "groups"}, "needs a test that reads brokers"),
        ({"mode": "KRaft", "distinct_racks": 2}, "must use one of"),
    ],
)
def test_the_vocabulary_of_tests_is_closed(tmp_path: Path, test: dict[str, object], words: str) -> None:
    condition = {"id": "x", "kind": "required", "description": "a condition", "test": test}
    assert words in broken(tmp_path, preconditions=[condition])


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "A-1.yaml").write_text("id: [")
    (tmp_path / "A-2.yaml").write_text("just text")
    (tmp_path / "A-3.yaml").write_text("{id: A-3, severity: urgent}")
    with pytest.raises(AdvisoryError) as caught:
        load_advisories(tmp_path)
    lines = str(caught.value).splitlines()
    assert {line.split(":")[0] for line in lines} == {"A-1.yaml", "A-2.yaml", "A-3.yaml"}
    assert "A-3.yaml: severity:" in str(caught.value)


def test_advisories_are_immutable() -> None:
    advisory: Advisory = ADVISORIES["KAFKA-14334"]
    with pytest.raises(ValueError, match="frozen"):
        advisory.severity = "low"
