"""The fleet file as a whole: the example, what is no fleet file at all, and the declaration that is landed."""

import json
from pathlib import Path

import pytest
import yaml

from kafka_fleet.base.yaml import FleetFileError
from kafka_fleet.config.fleet import load_fleet, parse_fleet
from kafka_fleet.knowledge.signatures import load_signatures
from support.builders.fleet_entries import GOOD, fleet

EXAMPLE = Path(__file__).resolve().parents[3] / "fleet.example.yaml"


def test_the_example_is_valid_and_shows_every_key():
    found = load_fleet(EXAMPLE)
    assert found.errors == []
    assert found.clusters
    keys = {key for cluster in yaml.safe_load(EXAMPLE.read_text())["clusters"] for key in cluster}
    assert keys == set(type(found.clusters[0]).model_fields)


@pytest.mark.fault(41)
@pytest.mark.parametrize(
    ("content", "about"),
    [
        (None, "version: 1 and a list"),
        ([], "version: 1 and a list"),
        ("text", "version: 1 and a list"),
        ({"version": 1}, "list of clusters"),
        ({"version": 1, "clusters": {}}, "clusters: must be a list, not a mapping"),
        ({"version": 2, "clusters": []}, "must be 1, not 2"),
        ({"version": True, "clusters": []}, "must be 1, not true"),
        ({"clusters": []}, "version: is missing; it must be 1"),
    ],
)
def test_what_is_no_fleet_file_stops_everything_with_one_sentence(content, about):
    with pytest.raises(FleetFileError, match=f"^fleet.yaml: .*{about}") as caught:
        parse_fleet(content, "fleet.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.fault(41)
@pytest.mark.parametrize(
    "text",
    [
        b"clusters: [",
        b"a: 1\na: 2",
        b"a: &x [1]\nb: *x",
        b"!!python/object/apply:os.system [id]",
        b"\xff\xfe\x00",
        b"a: \x00",
        b"a: 1\n---\nb: 2",
        b"[" * 1500,
        b"? [1]\n: 2",
        b"a: 2026-99-99",
        b"\t- a",
        b"<<: {a: 1}",
    ],
)
def test_yaml_that_cannot_be_used_is_one_sentence(tmp_path, text):
    path = tmp_path / "fleet.yaml"
    path.write_bytes(text)
    with pytest.raises(FleetFileError) as caught:
        load_fleet(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.fault(41, 56)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("environment: 1\nenvironment: 2", "a key is given twice: 'environment'"),
        ("? {0}\n: 1\n? {0}\n: 2".format("y" * 100_000), f"a key is given twice: '{'y' * 76}..."),
        (
            "canary-password: 1\ncanary-password: 2",
            "a key is given twice: the value is not shown, it may hold a secret",
        ),
        ("%TAG !{t}! a\n%TAG !{t}! b\n--- x".format(t="t" * 100_000), "duplicate tag handle '!ttt"),
    ],
    ids=["plain", "long", "secret", "handle"],
)
def test_what_a_sentence_quotes_of_the_file_is_short_and_no_secret(tmp_path, text, said):
    path = tmp_path / "fleet.yaml"
    path.write_text(text)
    with pytest.raises(FleetFileError) as caught:
        load_fleet(path)
    assert said in str(caught.value)
    assert "canary" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "missing.yaml", tmp_path):
        with pytest.raises(FleetFileError, match=r"cannot be read: (No such file|Is a directory)"):
            load_fleet(path)


def test_an_empty_list_is_told():
    assert [str(e) for e in fleet().errors] == ["fleet.yaml: clusters: needs at least one entry"]


def test_the_declaration_is_canonical_and_names_connections_only():
    entry = {**GOOD, "kafka_connection": "kafka_eu", "thresholds": {"fetch_latency": {"min_ratio": 0.4}}}
    made = json.loads(fleet(entry).clusters[0].declaration())
    assert made["kafka_connection"] == "kafka_eu"
    assert made["thresholds"] == {"fetch_latency": {"min_ratio": 0.4}}
    assert fleet(made | {"jolokia": entry["jolokia"]}).errors == []
    assert fleet(dict(reversed(entry.items()))).clusters[0].declaration() == fleet(entry).clusters[0].declaration()


def test_every_threshold_of_every_signature_may_be_set_to_its_own_value():
    values = {name: {t: one.value for t, one in s.thresholds.items()} for name, s in load_signatures().items()}
    assert fleet({**GOOD, "thresholds": values}).errors == []


PLAIN = "environment: production, bootstrap_servers: [127.0.0.1:1], jolokia: {brokers: {1: http://127.0.0.1:1/}}"


def two(first: str, second: str) -> str:
    """A fleet file of two clusters and their owners."""
    entries = (f"- {{id: {name}, {PLAIN}, owners: {owners}}}" for name, owners in (("a1", first), ("b1", second)))
    return "\n".join(["version: 1", "clusters:", *entries])


def test_an_alias_is_refused_though_what_it_stands_for_would_be_valid(tmp_path):
    path, owners = tmp_path / "fleet.yaml", "[oncall@example.org]"
    path.write_text(two(owners, owners))
    assert [(one.id, len(one.owners)) for one in load_fleet(path).clusters] == [("a1", 1), ("b1", 1)]
    path.write_text(two(f"&x {owners}", owners))
    assert len(load_fleet(path).clusters) == 2, "a name alone does no harm"
    path.write_text(two(f"&x {owners}", "*x"))
    with pytest.raises(FleetFileError, match=r"fleet.yaml, line 4: is not valid YAML: aliases are not allowed$"):
        load_fleet(path)


def test_a_small_file_of_aliases_does_not_unfold(tmp_path):
    """Nine lists of nine of the one before: 460 million texts, were they written out."""
    lists = ["- &l0 [x, x, x, x, x, x, x, x, x]", *(f"- &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9))]
    path = tmp_path / "fleet.yaml"
    path.write_text("\n".join(lists))
    with pytest.raises(FleetFileError, match=r"line 2: is not valid YAML: aliases are not allowed$"):
        load_fleet(path)
