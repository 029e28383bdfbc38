"""`kafka-fleet mail` over judged days: each cluster's letter goes out by itself, whatever became of the others'."""

import json

import pytest
import yaml

from kafka_fleet.cli import main as cli
from support.builders.letter_rows import DS
from support.builders.mailed_days import LATE
from support.builders.published_days import confirmed, day, dossier, publish_day
from support.servers.mail_server import Mailbox, mail_server


@pytest.fixture
def box(monkeypatch):
    box = Mailbox()
    with mail_server(box) as port:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "fleet@example.org"}
        settings = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": extra}
        monkeypatch.setenv("KAFKA_FLEET_SMTP", json.dumps(settings))
        yield box


@pytest.fixture
def mail(tmp_path, capsys, box):
    """Runs the command for a day; two clusters are judged on two days, each with an owner of its own."""
    entry = {
        "environment": "production",
        "bootstrap_servers": ["127.0.0.1:9"],
        "jolokia": {"brokers": {1: "http://127.0.0.1:9/"}},
    }
    clusters = [{"id": name, "owners": [f"{name}@example.org"], **entry} for name in ("a", "b")]
    (tmp_path / "fleet.yaml").write_text(json.dumps({"version": 1, "clusters": clusters}))
    for back in (1, 0):
        rows = [confirmed()] if back == 0 else []
        publish_day(tmp_path, day(back), {name: (dossier(name, day(back)), rows) for name in ("a", "b")})

    def run(ds):
        code = cli.main(["mail", "--fleet", str(tmp_path / "fleet.yaml"), "--home", str(tmp_path), "--date", ds])
        return code, capsys.readouterr()

    return run


def test_each_owner_gets_the_own_clusters_letter_and_then_what_changed(mail, box):
    assert mail(day(1))[0] == 0
    code, said = mail(DS)
    assert code == 0
    assert box.recipients == ["a@example.org", "b@example.org"] * 2
    assert box.received[-1][1]["Subject"].strip() == f"b: {LATE}"
    again, told = mail(DS)
    assert (again, len(box.recipients)) == (0, 4)
    assert "has it already" in told.out
    assert said.err == ""


def test_a_damaged_outbox_of_an_earlier_day_costs_its_own_cluster_alone(mail, box, tmp_path):
    mail(day(1))
    (tmp_path / f"outbox/ds={day(1)}/a.json").write_text("{")
    code, said = mail(DS)
    assert code == 1
    assert box.recipients == ["a@example.org", "b@example.org", "b@example.org"]
    assert said.err.startswith("a: ")
    assert "nothing is sent" in said.err


def test_acknowledgements_beside_the_fleet_file_are_used_and_broken_ones_named(mail, box, tmp_path):
    mail(day(1))
    broken = {"cluster": "a", "advisory": "KAFKA-14334"}
    (tmp_path / "acknowledgements.yaml").write_text(yaml.safe_dump({"version": 1, "acknowledgements": [broken]}))
    code, said = mail(DS)
    assert code == 0
    assert "entry 1: reason: " in said.err
    said_to = {to: " ".join(message.get_body(("plain",)).get_content().split()) for to, message in box.received[2:]}
    assert "is not used: acknowledgements.yaml: entry 1: reason: Field required" in said_to["a@example.org"]
    assert "is not used" not in said_to["b@example.org"]
    assert str(tmp_path) not in "".join(said_to.values())
