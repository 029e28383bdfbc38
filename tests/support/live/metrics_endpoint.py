"""Clusters that are read by the JMX exporter alone: takes a home, lands their sweeps, and some of the protocol alone.

Their brokers carry Jolokia as well, which is how the load waits for them; no sweep here asks it.
"""

from collections.abc import Sequence
from pathlib import Path

from fleet_demo.artifacts import exporter_agent
from fleet_demo.cluster import Cluster
from fleet_demo.processes import LOOPBACK, free_port
from kafka_fleet.schema.exporter_rules import rules_file
from support.live.scenarios import running, sweep

AFFECTED, FIXED, PROTOCOL = "exporter331", "exporter332", "protocol331"
SWEEPS, EVERY_S = 7, 9.0
Options = dict[int, Sequence[str]]


def exporters(folder: Path, rules: str, brokers: Sequence[int] = (1, 2)) -> tuple[Options, dict[int, str]]:
    """JVM options that give each broker an exporter with these rules, and the URLs of their metrics."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "exporter.yml"
    config.write_text(rules)
    ports = {broker: free_port() for broker in brokers}
    options = {broker: [f"-javaagent:{exporter_agent()}={LOOPBACK}:{port}:{config}"] for broker, port in ports.items()}
    return options, {broker: f"http://{LOOPBACK}:{port}/metrics" for broker, port in ports.items()}


def run(home: Path) -> None:
    """Follower reads on the last affected release and on the one with the fix; the first by the protocol alone, too."""
    made = {name: exporters(home / "exporters" / name, rules_file()) for name in (AFFECTED, FIXED)}

    def swept(cluster: Cluster, into: Path) -> None:
        sweep(cluster, into, jolokia=None, metrics={"brokers": made[cluster.name][1]})
        if cluster.name == AFFECTED:
            sweep(cluster, into, PROTOCOL, jolokia=None)

    agents = {name: options for name, (options, _urls) in made.items()}
    with running([AFFECTED, FIXED], home, SWEEPS, EVERY_S, agents=agents, swept=swept):
        pass
