"""History of a real cluster out of a real Prometheus: takes a home, imports under an id of its own, and a past day.

The brokers are those that are collected from at the same time, so that both can be compared.
"""

import json
import subprocess
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from fleet_demo.cluster import Cluster
from support.live import prometheus
from support.live.commands import fleet_command

OF, NAME = "scraped331", "history331"
STEP_S = 10
DAYS = 3  # before the installation
Row = dict[str, Any]


def imported(home: Path, url: str, cluster: Cluster) -> None:
    """Import what was scraped today, twice, and the same samples as those of a day before; keep what was said."""
    folder = home / "history"
    time.sleep(STEP_S)  # the window of the last sweep is over
    now = time.time()
    today = datetime.fromtimestamp(now, UTC).date()
    fleet, choice = folder / "fleet.yaml", folder / "map.yaml"
    fleet.write_text(yaml.safe_dump({"version": 1, "clusters": [cluster.fleet_entry(id=NAME)]}))
    # both brokers are on one host, so the label tells them; no label names the cluster, so a selector does
    choice.write_text(yaml.safe_dump({"version": 1, "clusters": {NAME: {"selector": 'job="kafka"'}}}))
    said = {"first": _import(home, url, fleet, choice, today), "again": _import(home, url, fleet, choice, today)}
    kafka = "(?i:kafka_(log_log|cluster_partition|server_replicamanager|network_request).*)"
    samples = prometheus.raw(url, f'{{__name__=~"up|process_start_time_seconds|{kafka}"}}', now, 60)
    data = prometheus.past(folder, samples, DAYS * 86_400)
    with prometheus.server(folder / "before", {}, data) as before:
        said["past"] = _import(folder / "home", before, fleet, choice, today - timedelta(days=DAYS))
    (folder / "said.json").write_text(json.dumps(said))


def _import(home: Path, url: str, fleet: Path, choice: Path, day: date) -> Row:
    arguments = ["--fleet", str(fleet), "--home", str(home), "--prometheus", url, "--step", f"{STEP_S}s"]
    arguments += ["--map", str(choice)]
    begin = time.monotonic()
    done: subprocess.CompletedProcess[str] = fleet_command(
        "import", *arguments, "--from", day.isoformat(), "--to", day.isoformat()
    )
    seconds = time.monotonic() - begin
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr, "seconds": seconds, "day": str(day)}
