"""Clusters that are read by the JMX exporter alone: takes a home, lands their sweeps, and some of the protocol alone.

Their brokers carry Jolokia as well, which is how the load waits for them; no sweep here asks it.
"""

from collections.abc import Sequence
from pathlib import Path

from fleet_demo.artifacts import exporter_agent
from fleet_demo.cluster import Cluster
from fleet_demo.processes import LOOPBACK, free_port
from kafka_fleet.collect.metrics.left_out import left_out
from kafka_fleet.schema.exporter_rules import rules_file, rules_for
from support.builders.metric_answers import read_text, recorded
from support.live.scenarios import running, sweep

AFFECTED, FIXED, PROTOCOL = "exporter331", "exporter332", "protocol331"
EXAMPLE, STRIMZI, MENDED = "example331", "strimzi331", "mended331"
RULES = Path(__file__).resolve().parents[2] / "data" / "metrics" / "rules"
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


def run_rule_sets(home: Path) -> None:
    """The same reads by rule sets that people run, and by one of them with the rules that are printed for it."""
    example = (RULES / "kafka-2_0_0.yml").read_text()
    strimzi = (RULES / "strimzi-4.3.2.yml").read_text()
    rules = {EXAMPLE: example, STRIMZI: strimzi, MENDED: mended(example, "kafka-2_0_0")}
    made = {name: exporters(home / "exporters" / name, text) for name, text in rules.items()}

    def swept(cluster: Cluster, into: Path) -> None:
        sweep(cluster, into, jolokia=None, metrics={"brokers": made[cluster.name][1]})

    agents = {name: options for name, (options, _urls) in made.items()}
    with running(list(rules), home, SWEEPS, EVERY_S, agents=agents, swept=swept):
        pass


def mended(rules: str, name: str) -> str:
    """A rule set with those rules before the others that are printed for a cluster which has it."""
    always, perhaps = left_out(read_text(recorded(name)).missing, None, assumed=None)
    added = "\n".join(rules_for([*always, *perhaps]))
    return rules.replace("rules:\n", f"rules:\n{added}\n", 1)
