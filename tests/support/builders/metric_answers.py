"""Answers of a metrics endpoint: recorded ones by rule set, and what a sweep makes of a text that is served."""

import gzip
import re
from collections.abc import Callable, Iterable
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia.client import BrokerSweep
from kafka_fleet.collect.metrics.client import sweep_metrics
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema.exporter_rules import edition
from support.builders.broker_sweeps import LIMITS
from support.servers.jolokia_simulator import Agent, agent

FOLDER = Path(__file__).resolve().parents[2] / "data" / "metrics"
TEXT = "text/plain; version=0.0.4; charset=utf-8"
RULE_SETS = ("own", "kafka-2_0_0", "strimzi-4.3.1", "strimzi-4.3.2", "none")
NOBODY = Credentials()
ENOUGH = LIMITS._replace(stream_bytes=4_000_000)


def recorded(rules: str) -> bytes:
    """What a broker of 3.3.1 showed by a rule set. Of the project's own it says that they are the present edition."""
    text = gzip.decompress((FOLDER / "answers" / f"{rules}.txt.gz").read_bytes())
    return re.sub(rb'(?<=kafka_fleet_exporter_rules\{version=")\w+', edition().encode(), text)


def read_text(text: bytes, limits: Limits = ENOUGH, **headers: str) -> BrokerSweep:
    """A sweep of an endpoint that answers with a text. Header names are given with underscores.

    Its clock is that of the text, where it has one.
    """
    return read_wire(lambda handler: answered(handler, text, **headers), limits)


def read_at(text: bytes) -> float | None:
    """When the exporter read the values of a text, s since epoch, by the broker's start and its uptime."""
    found = [
        re.search(rb"^java_lang_runtime_%s (\S+)$" % name, text, re.M | re.I) for name in (b"starttime", b"uptime")
    ]
    return sum(float(one[1]) for one in found if one) / 1000 if all(found) else None


def answered(handler: BaseHTTPRequestHandler, text: bytes, **headers: str) -> None:
    """An answer whose Date is the time at which the text was read."""
    sent = {"Content_Type": TEXT, "Content_Length": str(len(text))}
    if (at := read_at(text)) is not None:
        sent["Date"] = formatdate(at, usegmt=True)
    handler.send_response_only(200)
    for name, value in {**sent, **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(text)


def read_wire(
    wire: Callable[[BaseHTTPRequestHandler], Any], limits: Limits = ENOUGH, credentials: Credentials = NOBODY
) -> BrokerSweep:
    """A sweep of an endpoint that serves a connection itself."""
    one = Agent()
    one.wire = wire
    with agent(one):
        return sweep_metrics(one.url, credentials, limits)


def lines_without(text: bytes, *names: str) -> bytes:
    """The text without the samples of some metrics."""
    return b"".join(
        line for line in text.splitlines(keepends=True) if not line.startswith(tuple(name.encode() for name in names))
    )


def families(text: bytes) -> list[str]:
    """The names of an answer's metrics, as its TYPE lines have them."""
    return re.findall(r"^# TYPE (\S+) ", text.decode(), re.M)


def allowed(text: bytes, entries: Iterable[str]) -> bytes:
    """What Strimzi's metrics reporter would show by an allow list, of its answer without one.

    Each entry is compared with a whole name without its end; metrics of the JVM come whatever the list is.
    """
    kept: list[bytes] = []
    through = True
    for line in text.splitlines(keepends=True):
        if line.startswith(b"# "):
            name = line.split()[2].decode()
            bare = name.removesuffix("_total").removesuffix("_info")
            through = name.startswith(("jvm_", "process_")) or any(re.fullmatch(entry, bare) for entry in entries)
        kept += [line] if through else []
    return b"".join(kept)
