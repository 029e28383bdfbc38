"""A running broker behind the policy file and without it: takes a cluster, gives what passes and what is refused.

The agent is stopped and started inside the running process by its own launcher, as an owner does who cannot restart.
"""

import json
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

from fleet_demo.artifacts import java_program, jolokia_agent
from fleet_demo.cluster import Cluster
from fleet_demo.node import POLICY
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia.client import BrokerSweep, sweep_broker
from kafka_fleet.config.credentials import Credentials

RESULT, BEFORE = "access.json", "before"
NOT_FOR_THE_COLLECTOR: list[dict[str, Any]] = [
    {"type": "exec", "mbean": "java.lang:type=Memory", "operation": "gc"},
    {
        "type": "exec",
        "mbean": "java.lang:type=Threading",
        "operation": "dumpAllThreads(boolean,boolean)",
        "arguments": [False, False],
    },
    {"type": "exec", "mbean": "java.lang:type=Threading", "operation": "resetPeakThreadCount"},
    {"type": "write", "mbean": "java.lang:type=Memory", "attribute": "Verbose", "value": False},
    {"type": "list"},
    {"type": "search", "mbean": "kafka.server:*"},
    {"type": "read", "mbean": "java.lang:type=Runtime"},
    {"type": "read", "mbean": "java.lang:type=Runtime", "attribute": "InputArguments"},
    {"type": "read", "mbean": "java.lang:*", "attribute": "SystemProperties"},
    {"type": "read", "mbean": "java.lang:type=Memory", "attribute": "HeapMemoryUsage"},
    {"type": "read", "mbean": "kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec", "attribute": "MeanRate"},
]


def agent(cluster: Cluster, action: str, *options: str) -> str:
    """One action of the agent's launcher on broker 1; its words. Raises CalledProcessError when it fails."""
    url = cluster.jolokia_urls[1]
    port = url.rpartition(":")[2].partition("/")[0]
    where = ["--host", "127.0.0.1", "--port", port, "--startTimeout", "20000", *options]
    command = [java_program(), "-jar", str(jolokia_agent(cluster.jars)), *where, action, str(cluster.pids[1])]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def _statuses(url: str) -> list[int]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    found = []
    for request in NOT_FOR_THE_COLLECTOR:
        with opener.open(f"{url}/", json.dumps(request).encode(), 20) as response:
            found.append(json.load(response)["status"])
    return found


def _seen(sweep: BrokerSweep) -> dict[str, Any]:
    """Outcome, missing MBeans, partitions and the columns of every table; values move on meanwhile."""
    tables = sweep.rows.by_table
    columns = {name: sorted({column for row in rows.values() for column in row}) for name, rows in tables.items()}
    replicas = sorted(f"{topic}-{number}" for topic, number in tables["partitions"])
    return {"outcome": sweep.outcome, "missing": sweep.missing, "replicas": replicas, "columns": columns}


def prove(cluster: Cluster, home: Path) -> None:
    """Sweep and ask with the policy, without, with an older one and with it; the answers go into `home`/access.json."""
    url, found = cluster.jolokia_urls[1], {}
    before = home / "before.xml"
    lines = POLICY.read_text(encoding="utf-8").splitlines(keepends=True)
    before.write_text("".join(line for line in lines if "<operation>" not in line), encoding="utf-8")
    given: dict[str, tuple[str, ...]] = {"policy": (), "open": ()}
    given |= {name: ("--policyLocation", file.as_uri()) for name, file in ((BEFORE, before), ("attached", POLICY))}
    for name, options in given.items():
        if name != "policy":  # the broker was started with it
            agent(cluster, "stop")
            agent(cluster, "start", *options)
        found[name] = {"statuses": _statuses(url), **_seen(sweep_broker(url, Credentials(), Limits()))}
    (home / RESULT).write_text(json.dumps(found))
