"""Records what brokers show by the rule sets that people run: runs real brokers, writes one answer per rule set.

PYTHONPATH=plugins:spark:demo:tests python -m support.live.record_metrics
"""

import gzip
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import requests

from fleet_demo.cluster import Cluster
from kafka_fleet.schema.exporter_rules import rules_file
from support.live.metrics_endpoint import exporters
from support.live.scenarios import SELECTOR, follower_reads

FOLDER = Path(__file__).resolve().parents[2] / "data" / "metrics"
RELEASE = "3.3.1"
LOAD_S = 12.0


def main() -> None:
    """Record every rule set of the folder, and the project's own."""
    sets = {path.stem: path.read_text() for path in sorted((FOLDER / "rules").glob("*.yml"))}
    (FOLDER / "answers").mkdir(exist_ok=True)
    for name, rules in {**sets, "own": rules_file()}.items():
        with tempfile.TemporaryDirectory() as work, ExitStack() as stack:
            options, urls = exporters(Path(work), rules)
            cluster = stack.enter_context(Cluster("recorded", RELEASE, broker_config=SELECTOR, node_options=options))
            for client in follower_reads(cluster):
                stack.callback(client.stop, 0)
            time.sleep(LOAD_S)
            requests.get(urls[1], timeout=60)  # the exporter names its own metrics from the second answer on
            text = requests.get(urls[1], timeout=60).content
            (FOLDER / "answers" / f"{name}.txt.gz").write_bytes(gzip.compress(text, mtime=0))
            print(f"{name}: {len(text)} bytes", flush=True)


if __name__ == "__main__":
    main()
