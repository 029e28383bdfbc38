"""A real Prometheus that scrapes real brokers: takes exporters' ports, gives the server's URL; and makes past days.

Broker 1 names its metrics by rules, as the exporter's example for Kafka does, broker 2 by none at all.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from fleet_demo.artifacts import default_root, exporter_agent
from fleet_demo.processes import LOOPBACK, end, free_port, spawn, tail
from support.live.packages import said, unpacked

EVERY_S = 5
RULES = Path(__file__).with_name("exporter_rules.yml")
# most of a broker's metrics are of requests that nobody asks for; without them a scrape is short beside other brokers
ASKED = [
    *(f"kafka.network:type=RequestMetrics,request={name},*" for name in ("Produce", "FetchConsumer", "FetchFollower")),
    *("kafka.network:type=RequestMetrics,request=Fetch,*", "kafka.network:type=Acceptor,*", "kafka.cluster:*"),
    *("kafka.server:*", "kafka.log:*", "kafka.controller:*", "kafka.coordinator.group:*"),
]
READY_S = 60.0


class PrometheusError(RuntimeError):
    """One sentence: why there is no server."""


def programs() -> Path:
    """The folder with prometheus and promtool of the distribution's package. Raises PrometheusError."""
    folder = unpacked("prometheus", "Prometheus", default_root().parent / "prometheus")
    if isinstance(folder, str):
        raise PrometheusError(folder)
    return folder


def agents(folder: Path) -> tuple[dict[int, list[str]], dict[int, int]]:
    """JVM options of two brokers, and the ports on which their exporters will answer."""
    ports = {1: free_port(), 2: free_port()}
    folder.mkdir(parents=True, exist_ok=True)
    asked = f"includeObjectNames: {json.dumps(ASKED)}\n"
    options = {}
    for broker, port in ports.items():
        config = folder / f"exporter-{broker}.yml"
        config.write_text(asked + (RULES.read_text() if broker == 1 else ""))
        options[broker] = [f"-javaagent:{exporter_agent()}={LOOPBACK}:{port}:{config}"]
    return options, ports


@contextmanager
def server(
    folder: Path, ports: Mapping[int, int], data: Path | None = None, more: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """Start Prometheus; the URL of its API. Its data are kept in the folder, or are those of another one.

    more: of its configuration, such as other jobs and rules.
    """
    folder.mkdir(parents=True, exist_ok=True)
    targets = [{"targets": [f"{LOOPBACK}:{port}"], "labels": {"broker_id": str(b)}} for b, port in ports.items()]
    scraped = [{"job_name": "kafka", "static_configs": targets}] if targets else []
    every = {"scrape_interval": f"{EVERY_S}s", "scrape_timeout": f"{EVERY_S}s"}
    config, port = folder / "prometheus.yml", free_port()
    config.write_text(json.dumps({"global": every, "scrape_configs": scraped, **(more or {})}))
    url = f"http://{LOOPBACK}:{port}"
    command = [str(programs() / "prometheus"), f"--config.file={config}", f"--web.listen-address={LOOPBACK}:{port}"]
    process = spawn([*command, f"--storage.tsdb.path={data or folder / 'data'}"], folder / "prometheus.log")
    try:
        deadline = time.monotonic() + READY_S
        while not is_ready(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise PrometheusError(f"Prometheus does not start: {tail(folder / 'prometheus.log')}")
            time.sleep(0.1)
        yield url
    finally:
        end(process, 5.0)


def is_ready(url: str) -> bool:
    """Whether the server answers."""
    try:
        return requests.get(f"{url}/-/ready", timeout=2).status_code == 200
    except requests.ConnectionError:
        return False


def raw(url: str, selector: str, end_s: float, back_s: int) -> list[dict[str, Any]]:
    """Raw samples, as the server has them."""
    query = {"query": f"{selector}[{back_s}s]", "time": f"{end_s:.3f}"}
    answer = requests.post(f"{url}/api/v1/query", data=query, timeout=60).json()
    assert answer["status"] == "success", answer
    found: list[dict[str, Any]] = answer["data"]["result"]
    return found


def past(folder: Path, samples: list[dict[str, Any]], earlier_s: int) -> Path:
    """A data folder that holds the samples as if they had been scraped so many seconds before."""
    text, data = folder / "past.om", folder / "past"
    lines: dict[str, list[str]] = {}
    for one in samples:
        labels = ",".join(f"{k}={json.dumps(v)}" for k, v in sorted(one["metric"].items()) if k != "__name__")
        name = one["metric"]["__name__"]
        lines.setdefault(name, []).extend(f"{name}{{{labels}}} {v} {at - earlier_s:.3f}" for at, v in one["values"])
    text.write_text("".join("\n".join(found) + "\n" for found in lines.values()) + "# EOF\n")
    tool = str(programs() / "promtool")
    fault = said([tool, "tsdb", "create-blocks-from", "openmetrics", str(text), str(data)], 120)
    assert fault is None, fault
    return data
