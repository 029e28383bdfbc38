"""Records what a real Prometheus answers to an import: runs a real cluster, writes the answers for the fast tests.

PYTHONPATH=plugins:spark:demo:tests python -m support.live.record_history
The samples are put on a day that has passed, so that an import of that day asks the same again.
"""

import gzip
import json
import sys
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.connections.prometheus import Prometheus
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import.importer import Source, import_days
from kafka_fleet.prometheus_import.mapping import Choice
from kafka_fleet.prometheus_import.targets import ClusterTargets
from support.live import prometheus
from support.live.scenarios import avoid_midnight, running
from support.servers.recorded_prometheus import FOLDER, STEP_S, key, payments

SECONDS, EARLIER = 100, 86_400


class Recorder(Prometheus):
    """Keeps every answer."""

    answers: dict[str, str]

    def _sent(self, path: str, form: list[tuple[str, str]], method: str) -> bytearray:
        body = super()._sent(path, form, method)
        self.answers[key(path, form)] = body.decode()
        return body


def record(url: str, end_s: float) -> None:
    """Put the last samples of a server on the day before, import them, and keep the answers. Raises OSError."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        data = prometheus.past(folder, prometheus.raw(url, '{job="kafka"}', end_s, SECONDS), EARLIER)
        with prometheus.server(folder / "before", {}, data) as before:
            server = Recorder(before, Credentials(), Limits())
            server.answers = {}
            day: date = datetime.fromtimestamp(end_s - EARLIER, UTC).date()
            source = Source(server, f"recorded {server.version()}", load_names())
            whose = ClusterTargets(payments(), Choice(selector='job="kafka"'))
            found = import_days(source, whose, folder / "home", [day], timedelta(seconds=STEP_S), print)
            print(found.summary())
    content = json.dumps({"day": day.isoformat(), "answers": server.answers}).encode()
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "answers.json.gz").write_bytes(gzip.compress(content, mtime=0))
    print(f"{len(server.answers)} answers, {len(content) // 1024} kB")


def main() -> None:
    """Run a cluster for a minute and a half."""
    avoid_midnight(600)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(prefix="kafka-demo-") as work:
        options, ports = prometheus.agents(Path(work))
        home = Path(folder)
        with (
            prometheus.server(Path(work) / "prometheus", ports) as url,
            running(["follower331"], home, 4, 30.0, Path(work), {"follower331": options}),
        ):
            record(url, time.time())


if __name__ == "__main__":
    sys.exit(main())
