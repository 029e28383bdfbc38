"""`kafka-fleet acknowledge`: takes a published finding, writes its entry or takes it back, or says why not."""

import json
import os
import pwd

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.config.acknowledgements import load_acknowledgements
from kafka_fleet.store.generations import publish
from kafka_fleet.store.home import Home
from support.builders.acknowledged import BASIS, SAID, entry, row
from support.builders.documents import day_summary
from support.builders.letter_rows import DS


@pytest.fixture
def call(tmp_path, capsys):
    """Runs `kafka-fleet acknowledge` on a judged day of payments-eu; gives exit code and what was said."""
    fleet = tmp_path / "fleet.yaml"
    cluster = {"id": "payments-eu", "environment": "production", "owners": ["oncall@example.org"]}
    cluster |= {"bootstrap_servers": ["127.0.0.1:1"], "jolokia": {"brokers": {1: "http://127.0.0.1:1/jolokia"}}}
    fleet.write_text(json.dumps({"version": 1, "clusters": [cluster]}))
    path = Home(tmp_path).generation(DS, "g0001").verdict("payments-eu")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(day_summary([row()], {}, True, {"KAFKA-14334": [BASIS]}).plain()))
    publish(tmp_path / f"findings/ds={DS}", "g0001")
    said = {"cluster": "payments-eu", "finding": "KAFKA-14334", "reason": SAID[0], "owner": SAID[1], "expires": SAID[2]}

    def run(**other):
        options = [text for name, value in {**said, **other}.items() for text in (f"--{name}", value)]
        code = cli.main(["acknowledge", "--fleet", str(fleet), "--home", str(tmp_path), "--date", DS, *options])
        return code, capsys.readouterr()

    return run


def test_the_command_line_acknowledges_what_is_there(call, tmp_path, monkeypatch):
    monkeypatch.setenv("LOGNAME", "somebody-else")
    code, said = call()
    assert (code, said.err) == (0, "")
    (one,) = load_acknowledgements(tmp_path / "acknowledgements.yaml").entries
    assert one == entry(acknowledged_by=f"system user {pwd.getpwuid(os.getuid()).pw_name}")
    assert call()[0] == 2


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"finding": "KAFKA-1"}, "has no finding KAFKA-1 on 2026-11-20; it has: KAFKA-14334"),
        ({"cluster": "nowhere"}, "no valid cluster nowhere"),
        ({"reason": "no"}, "reason: "),
        ({"expires": "2026-01-01"}, "expires at least on the day"),
    ],
)
def test_what_cannot_be_acknowledged_is_one_sentence(call, tmp_path, other, sentence):
    code, said = call(**other)
    assert code == 2
    assert sentence in said.err
    assert len(said.err.splitlines()) == 1
    assert not (tmp_path / "acknowledgements.yaml").exists()


def test_the_command_line_takes_back(call, tmp_path, capsys):
    call()
    words = ["acknowledge", "--fleet", str(tmp_path / "fleet.yaml"), "--remove", "--cluster", "payments-eu"]
    words += ["--finding", "KAFKA-14334"]
    for given, sentence in ((["--home", str(tmp_path)], "--remove takes no --home"), ([], "")):
        assert cli.main([*words, *given]) == (2 if sentence else 0)
        assert sentence in capsys.readouterr().err
    assert load_acknowledgements(tmp_path / "acknowledgements.yaml") == ([], [])
    assert cli.main(words) == 2
    assert "has no entry for KAFKA-14334 of payments-eu" in capsys.readouterr().err
    assert cli.main([word for word in words if word != "--remove"]) == 2
    assert "takes --home, --date, --reason, --owner, --expires too" in capsys.readouterr().err
