"""Addresses of the fleet file that are never contacted: their entries are refused and named, the fleet goes on."""

import pytest
import yaml

from kafka_fleet.cli import main as cli
from kafka_fleet.collect import sweep
from kafka_fleet.collect.admin.client import AdminSweep
from support.builders.cli_fleets import GOOD, Plain
from support.servers.jolokia_simulator import Agent, agent

WRONG = {
    "link-local": "http://169.254.169.254/latest",
    "user": "http://canary:canary@127.0.0.1/jolokia",
    "scheme": "file:///etc/passwd",
    "port": "http://127.0.0.1:99999/jolokia",
}


@pytest.mark.fault(15)
def test_an_address_that_is_never_contacted_costs_only_its_own_entry(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(sweep, "sweep_admin", lambda *a: AdminSweep("failed", "nobody", ["every"], None, None, {}))
    path, home = tmp_path / "fleet.yaml", tmp_path / "home"
    with agent(Agent()) as one:
        urls = {**WRONG, "live": one.url}
        entries = [{**GOOD, "id": name, "jolokia": {"brokers": {1: url}}} for name, url in urls.items()]
        path.write_text(yaml.dump({"version": 1, "clusters": entries}, Dumper=Plain))
        assert cli.main(["collect", "--fleet", str(path), "--home", str(home)]) == 0
        assert len(one.seen) == 2
    out, err = capfd.readouterr()
    told = [line.split(": ")[:3] for line in err.splitlines()]
    lines = {
        name: path.read_text()[: path.read_text().index(f"1: {url}")].count("\n") + 1 for name, url in WRONG.items()
    }
    assert told == [[f"{path}, line {lines[name]}", f"cluster {name}", "jolokia.brokers.1"] for name in WRONG]
    assert [line.partition(":")[0] for line in out.splitlines() if ": not run:" in line] == list(WRONG)
    assert "canary" not in out + err
