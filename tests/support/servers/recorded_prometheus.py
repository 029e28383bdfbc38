"""A Prometheus on loopback that answers what a real one answered (support.live.record_history), with a test's faults.

`Recorded.change` changes the body of an answer, `Recorded.status` its status; both are given the path and the form.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from kafka_fleet.config.fleet import Cluster, parse_fleet
from support.servers.serving import answering

FOLDER = Path(__file__).resolve().parents[2] / "data" / "prometheus"
Form = dict[str, str]
_SCRAPE = re.compile(r'__name__=~"([^"]*)",(.*)\}\[1ms\]$')
STEP_S = 30  # with which it was recorded


def key(path: str, form: list[tuple[str, str]]) -> str:
    """The name of a request among the answers."""
    return f"{path} {json.dumps(sorted(form))}"


def payments(name: str = "payments-eu", host: str = "127.0.0.1", **more: Any) -> Cluster:
    """The cluster that was recorded."""
    entry = {
        "id": name,
        "environment": "production",
        "owners": ["oncall@example.org"],
        "bootstrap_servers": ["127.0.0.1:1"],
        "jolokia": {"brokers": {1: f"http://{host}:1/jolokia", 2: f"http://{host}:2/jolokia"}},
        **more,
    }
    fleet = parse_fleet({"version": 1, "clusters": [entry]}, "f")
    assert fleet.errors == []
    return fleet.clusters[0]


class Recorded:
    """The answers, and what was asked. What was not recorded has no samples."""

    def __init__(self) -> None:
        content = json.loads(gzip.decompress((FOLDER / "answers.json.gz").read_bytes()))
        self.day = date.fromisoformat(content["day"])
        self.answers: dict[str, str] = content["answers"]
        self.asked: list[tuple[str, Form, dict[str, str]]] = []
        self.change: Callable[[str, Form, bytes], bytes] = lambda path, form, body: body
        self.status: Callable[[str, Form], int] = lambda path, form: 200
        self.url = ""

    @property
    def sweeps(self) -> int:
        """How many windows of STEP_S the recorded scrapes lie in."""
        ups = [text for text in self.answers.values() if '"__name__":"up"' in text]
        results = [json.loads(text)["data"]["result"] for text in ups]
        times = [at for series in results for one in series for at, value in one["values"] if value == "1"]
        return len({int(at // STEP_S) for at in times})

    def answer(self, path: str, form: list[tuple[str, str]]) -> bytes:
        """What the real one said."""
        empty = '{"status":"success","data":{"resultType":"matrix","result":[]}}'
        if path != "/api/v1/query":
            empty = '{"status":"success","data":[]}'
        found = self.answers.get(key(path, form), empty)
        asked = _SCRAPE.search(dict(form).get("query", ""))
        if asked:
            found = self._scrape(dict(form)["time"], asked[2], set(asked[1].split("|")))
        return self.change(path, dict(form), found.encode())

    def _scrape(self, time: str, target: str, names: set[str]) -> str:
        """The samples of one scrape, of the metrics that are asked for: a test may leave some out."""
        asked = [(dict(json.loads(name.partition(" ")[2])), text) for name, text in self.answers.items()]
        same = [text for form, text in asked if form.get("time") == time and target in form["query"]]
        series = [one for text in same for one in json.loads(text)["data"]["result"]]
        wanted = [one for one in series if one["metric"]["__name__"] in names]
        return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": wanted}})


@contextmanager
def recorded() -> Iterator[Recorded]:
    """Serve until the end of the context."""
    known = Recorded()

    def told(path: str, form: list[tuple[str, str]], headers: dict[str, str]) -> tuple[int, bytes]:
        known.asked.append((path, dict(form), headers))
        return known.status(path, dict(form)), known.answer(path, form)

    with answering(told) as known.url:
        yield known
