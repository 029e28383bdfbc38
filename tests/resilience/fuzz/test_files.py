"""Files that people write: the fleet file, acknowledgements, the map of an import, advisories and signatures.

Whatever is in them, the documented error comes, in sentences of one line that can be printed, or it is read.
"""

import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kafka_fleet.base import yaml as fleet_yaml
from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.base.yaml import FleetFileError, parse_yaml
from kafka_fleet.config import acknowledgements
from kafka_fleet.config.fleet import Fleet, parse_fleet
from kafka_fleet.knowledge.advisories import AdvisoryError, load_advisories
from kafka_fleet.knowledge.catalogue_folders import CatalogueError
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.plots import load_plots
from kafka_fleet.knowledge.release_table import load_table
from kafka_fleet.knowledge.releases import ReleaseError
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.prometheus_import.mapping import load_mapping
from support.generators.fuzz_inputs import generated, grafted, mutated, one_line, randoms, tried, value

ROOT = Path(__file__).resolve().parents[3]
FILE = Path("fleet.yaml")
EXAMPLE = (ROOT / "fleet.example.yaml").read_bytes()
TAGGED = [b"a: !!bool foo", b"a: !!timestamp x", b"a: !!int ''", b"a: !!map [x]", b"a: !!set {x}", b"a: !!binary '='"]
PARTS = [b"a: {b: [1, 2.5, null, ~, yes]}", b"a: |\n  text\n", b"a: 0xff", b"a: 1:2:3", b"? [a]\n: b", b"a: 2026-13-45"]
PARTS += [*TAGGED, b'a: "\\ud800"', b"a: &x 1\nb: *x", b"<<: {a: b}", b"a: .inf", b"a: 12e03", b"--- a\n--- b", b"=: ="]
ENTRY: dict[str, Any] = {
    "id": "payments-eu", "environment": "production", "owners": ["a@example.org"], "bootstrap_servers": ["h:9092"],
    "kafka_connection": "k", "jolokia": {"brokers": {1: "http://h:8778/j"}, "connection": "j",
                                             "controllers": {2: "http://i/"}},
    "node_exporter": {1: "http://h:9100/metrics"}, "thresholds": {"fetch_latency": {"min_ratio": 0.3}},
    "client_configs": {"groups": {"b-*": {"client.rack": "set"}},
                       "producers": [{"software": "apache-kafka-java", "version": "<2.1"}]},
}  # fmt: skip
ACKNOWLEDGED: dict[str, Any] = {
    "cluster": "payments-eu", "advisory": "KAFKA-14334", "reason": "Upgrade in January.", "owner": "a@example.org",
    "acknowledged": "2026-11-20", "expires": "2027-01-31", "verdict": "confirmed", "severity": "high",
    "release": "3.3.1", "subjects": ["broker 2"], "basis": ["x is y"],
}  # fmt: skip
MAP: dict[str, Any] = {
    "version": 1, "connection": "p", "clusters": {"a": {"selector": 'job="k"', "broker_label": "pod",
    "broker_pattern": "(1)", "brokers": {"h:1": 3}}},
    "names": [{"attribute": "Count", "metric": ["kafka_{type}"], "name": "(.*)PerSec"}],
    "metrics": {"x": [{"column": "broker_metrics.partition_count", "factor": 2}]}, "wildcards": {"a": ["b"]},
}  # fmt: skip
EXPRESSIONS = ["(" * 3000, "a{99999999999999}", "(?P<", "[", "(?:(?:a)*)*" * 90, "(" * 900 + ")" * 900, "\\"]


def judged(content: Any) -> Fleet:
    """The fleet; what is wrong with it has been looked at."""
    fleet = parse_fleet(content, "fleet.yaml")
    for error in fleet.errors:
        assert one_line(str(error)), str(error)
        assert "hunter2" not in str(error)
    assert all(one_line(one, 20_000) for one in fleet.invalid.values())
    for cluster in fleet.clusters:
        assert cluster.declaration()
    return fleet


@pytest.mark.fault(41, 57)
def test_any_fleet_text_is_a_fleet_or_one_sentence(counted: Callable[[], None]) -> None:
    small = b"version: 1\nclusters:\n  - " + yaml.safe_dump(ENTRY, sort_keys=False).replace("\n", "\n    ").encode()
    for number, random in randoms(150):
        body = mutated(random, random.choice((small, *PARTS)), PARTS)
        content, error = tried(FleetFileError, parse_yaml, body.decode("utf-8", "replace"), FILE)
        if error is None:
            _fleet, error = tried(FleetFileError, judged, content)
        assert error is None or one_line(str(error)), f"input {number}: {body!r}"
        counted()


@pytest.mark.fault(41)
def test_any_structure_is_a_fleet_with_sentences(counted: Callable[[], None]) -> None:
    other = {**ENTRY, "id": "billing-us"}
    for _number, random in randoms(600):
        changed = grafted(random, ENTRY)
        fleet = judged({"version": 1, "clusters": [other, changed]})
        assert fleet.clusters[:1] == judged({"version": 1, "clusters": [other]}).clusters, (
            "a broken entry costs only itself"
        )
        counted()
    for _number, random in randoms(200):
        for content in (value(random), grafted(random, {"version": 1, "clusters": [ENTRY]})):
            _fleet, error = tried(FleetFileError, judged, content)
            assert error is None or one_line(str(error))
        counted()


names = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True).filter(lambda one: one != "index")
ports = st.integers(1, 65535)


@generated(15)
@given(names, st.dictionaries(st.integers(0, 2**31 - 1), ports, min_size=1, max_size=4), st.floats(0.05, 0.95))
def test_what_is_written_is_what_is_read(name: str, brokers: dict[int, int], ratio: float) -> None:
    urls = {broker: f"http://h{place}:{port}/j" for place, (broker, port) in enumerate(brokers.items())}
    entry = {**ENTRY, "id": name, "jolokia": {"brokers": urls}, "thresholds": {"fetch_latency": {"min_ratio": ratio}}}
    content = parse_yaml(yaml.safe_dump({"version": 1, "clusters": [entry]}), FILE)
    (cluster,) = judged(content).clusters
    assert (cluster.id, cluster.jolokia.brokers) == (name, urls)
    assert cluster.thresholds == {"fetch_latency": {"min_ratio": ratio}}


@pytest.mark.parametrize(
    "body", [*TAGGED, b"a: " + b"1:" * 900 + b"1", b"a: 0x" + b"f" * 9000, b"a: " + b"9" * 9000, b'a: "\\ud800"']
)
def test_what_yaml_itself_stumbles_over_is_one_sentence(body: bytes) -> None:
    with pytest.raises(FleetFileError) as caught:
        parse_yaml(body.decode(), FILE)
    assert one_line(str(caught.value))


@pytest.mark.fault(57)
def test_very_many_values_are_refused_before_they_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_yaml, "MAX_VALUES", 5_000)
    tracemalloc.start()
    with pytest.raises(FleetFileError, match="more than 5000 values"):
        parse_yaml("a: [" + "1," * 1_000_000 + "1]", FILE)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000 * 700 + 40_000_000


@pytest.mark.fault(41)
def test_any_acknowledgements_are_entries_or_sentences(counted: Callable[[], None]) -> None:
    good = acknowledgements.read_parsed({"version": 1, "acknowledgements": [ACKNOWLEDGED]}, FILE).entries
    for number, random in randoms(800):
        raw = grafted(random, ACKNOWLEDGED)
        if random.random() < 0.2:
            raw = {
                **ACKNOWLEDGED,
                "acknowledged": random.choice(("9999-12-31", "0001-01-01", 1e18, 10**30)),
                "expires": "9999-12-31",
            }
        found = acknowledgements.read_parsed(
            {"version": 1, "acknowledgements": [raw, {**ACKNOWLEDGED, "cluster": "b"}]}, FILE
        )
        assert found.entries[-1] == good[0].model_copy(update={"cluster": "b"}), f"input {number}: {raw!r}"
        assert all(one_line(sentence) and "hunter2" not in sentence for _cluster, sentence in found.faults), (
            found.faults
        )
        counted()


def test_any_map_of_an_import_is_read_or_one_sentence(counted: Callable[[], None], tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    for number, random in randoms(150):
        content = grafted(random, MAP)
        if random.random() < 0.2:
            content = {**MAP, "clusters": {"a": {"broker_pattern": random.choice(EXPRESSIONS)}}}
        body = (
            yaml.safe_dump(content).encode()
            if random.random() < 0.6
            else mutated(random, yaml.safe_dump(MAP).encode(), PARTS)
        )
        path.write_bytes(body)
        found, error = tried(UsageError, load_mapping, path)
        assert found.version == 1 if error is None else one_line(str(error), 20_000), f"input {number}: {body!r}"
        counted()


def catalogue(folder: Path) -> dict[Path, tuple[Callable[[], object], type[Exception]]]:
    """One file of every kind in a folder of its own: how it is read, and the error that is documented for it."""
    found: dict[Path, tuple[Callable[[], object], type[Exception]]] = {}
    knowledge = ROOT / "plugins/kafka_fleet/knowledge"
    (folder / "issues").mkdir()
    advisory = Path(shutil.copy(knowledge / "issues/KAFKA-14334.yaml", folder / "issues"))
    found[advisory] = (lambda: load_advisories.__wrapped__(folder / "issues"), AdvisoryError)
    table = Path(shutil.copy(knowledge / "releases.yaml", folder))
    found[table] = (lambda: load_table(table), ReleaseError)
    folders = ("signatures", "fetch_latency", load_signatures), ("conditions", "mixed_releases", load_conditions)
    for kind, name, load in (*folders, ("plots", "connections", load_plots)):
        shutil.copytree(sql_dir() / kind / name, folder / kind / name)
        file = next((folder / kind / name).glob("[!c]*.yaml"), None) or folder / kind / name / "condition.yaml"
        found[file] = (lambda load=load: load.__wrapped__(folder), CatalogueError)
    return found


def broken(random: Random, body: bytes) -> bytes:
    """The file changed as text, or as a structure."""
    if random.random() < 0.5:
        return mutated(random, body, PARTS)
    return yaml.safe_dump(grafted(random, yaml.safe_load(body))).encode()


def test_any_file_of_the_catalogue_is_read_or_its_faults_are_named(counted: Callable[[], None], tmp_path: Path) -> None:
    files = catalogue(tmp_path)
    assert len(files) == 5
    for path, (load, error) in files.items():
        body = path.read_bytes()
        small = body if len(body) < 4000 else b"\n".join(body.splitlines()[:60])
        assert load()
        refused = 0
        for number, random in randoms(12):
            path.write_bytes(broken(random, small))
            _found, fault = tried(error, load)
            if fault is not None:
                refused += 1
                said = str(fault)
                assert path.name in said
                assert all(one_line(line, 2000) for line in said.splitlines()), f"{path.name}, input {number}: {said}"
            counted()
        assert refused, path.name
        path.write_bytes(body)
