"""Documents with a part replaced by anything: blocks that load, or one sentence, and never a canary."""

import copy
import json
import random
from pathlib import Path

import pytest
import yaml

from kafka_fleet.cli import main as cli
from kafka_fleet.config.fleet import load_fleet
from kafka_fleet.discover.documents import read_documents

DATA = Path(__file__).resolve().parents[2] / "data/discover"
INPUTS = {
    "strimzi": "strimzi-list.yaml",
    "msk": "msk-clusters.json",
    "confluent": "confluent-hosts.yml",
    "compose": "docker-compose.yml",
}
ANYTHING = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    "{{ x }}",
    "${X}",
    "a\n- id: evil",
    "9" * 40,
    [],
    [None],
    ["x"],
    {},
    {"x": {}},
]
TIMES = 40


def places(value, path=()):
    """The path of every part of a document."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def replaced(value, path, other):
    if not path:
        return other
    made = copy.copy(value)
    made[path[0]] = replaced(value[path[0]], path[1:], other)
    return made


@pytest.mark.parametrize("source", list(INPUTS))
def test_any_part_may_be_anything(source, tmp_path, capsys):
    chance = random.Random(source)  # noqa: S311 - the same on every run
    text = (DATA / INPUTS[source]).read_text().replace("!vault |", "|")
    (document,) = read_documents(text, "x", "")
    known = list(places(document.content))
    given, printed = tmp_path / "given", tmp_path / "printed.yaml"
    ended = set()
    for _ in range(TIMES):
        content = replaced(document.content, chance.choice(known), chance.choice(ANYTHING))
        given.write_text(chance.choice((json.dumps, yaml.safe_dump))(content))
        code = cli.main(["discover", source, str(given), "--owner", "a@example.org", "--environment", "staging"])
        said = capsys.readouterr()
        assert code in (0, 2), content
        assert "canary" not in said.out + said.err
        if code == 2:
            assert (said.out, len(said.err.splitlines())) == ("", 1)
        elif "\n  - id: " in said.out:
            printed.write_text(said.out)
            fleet = load_fleet(printed)
            assert fleet.errors == []
            assert "evil" not in {one.id for one in fleet.clusters}
        ended.add(code)
    assert ended == {0, 2}
