"""Answers of a Prometheus and a node_exporter, changed at random: a named failure, or the numbers that are in them."""

import gzip
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from kafka_fleet.collect import hosts
from kafka_fleet.collect.connections.http import Failure, Limits
from kafka_fleet.collect.connections.prometheus import Prometheus
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import import scrape_rows
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.metric_names import Names
from support.generators.fuzz_inputs import TIMES, mutated, one_line, randoms, tried
from support.servers.recorded_prometheus import FOLDER

EXPOSITION = b"""# HELP node_netstat_TcpExt_ListenOverflows Statistic TcpExtListenOverflows.
node_netstat_TcpExt_ListenOverflows 250
node_netstat_TcpExt_SyncookiesSent 1.07e+02
node_boot_time_seconds 1.790000000123e+09
node_sysctl_net_core_somaxconn{x="y"} 4096 1790000000000
"""


class Told(Prometheus):
    """A server whose answer is given."""

    body = b""

    def _sent(self, path: str, form: list[tuple[str, str]], method: str) -> bytearray:
        return bytearray(self.body)


@cache
def answers() -> list[bytes]:
    """Recorded answers, the long ones in pieces, small enough to be many."""
    content = json.loads(gzip.decompress((FOLDER / "answers.json.gz").read_bytes()))
    found = [body.encode() for body in content["answers"].values() if 100 < len(body) < 8_000]
    for body in (one for one in content["answers"].values() if len(one) > 50_000 and "matrix" in one):
        data = json.loads(body)
        series = data["data"]["result"]
        for start in range(0, len(series), 60):
            data["data"]["result"] = series[start : start + 10]
            found.append(json.dumps(data).encode())
    return found


@cache
def names() -> Names:
    return load_names()


def numbers(server: Told) -> dict[tuple[str, Any, str], Any]:
    """The cells that the importer makes of the samples of one moment."""
    found = server.samples("{}", 1, 1)
    at = next((round(one.values[0][0] * 1000) for one in found if one.values), 0)
    rows, told = Rows(), {}
    target = [pair for pair in found[0].metric.items() if pair[0] in ("instance", "job", "broker_id")] if found else []
    scrape = scrape_rows.Scrape(1, frozenset(target), (), at)
    scrape_rows._take(found, names(), scrape, rows, set())
    for table, kept in rows.by_table.items():
        told |= {(table, key, column): cell for key, row in kept.items() for column, cell in row.items()}
    return told


def test_changed_answers_are_a_named_failure_or_what_they_say(counted: Callable[[], None], monkeypatch) -> None:
    monkeypatch.setattr("kafka_fleet.collect.connections.query_api.PAUSE_S", 0)
    server = Told("http://127.0.0.1:1", Credentials(), Limits())
    refused = cells = 0
    for number, random in randoms(1500):
        server.body = mutated(random, random.choice(answers()), answers())
        told, failure = tried(Failure, numbers, server)
        if failure is not None:
            refused += 1
            assert one_line(str(failure), 120), f"input {number}"
            assert str(failure).isascii()
        else:
            for (table, _key, column), cell in told.items():
                kind = mbeans.tables()[table].columns[column].type
                if kind in ("int", "long") and cell is not None:
                    assert exact(server.body, cell), f"input {number}: {table}.{column} {cell} {server.body[:2000]!r}"
                    cells += 1
        for ask in (server.series, server.names):
            found, failure = tried(Failure, ask, "{}", 1, 2)
            assert failure is None or one_line(str(failure), 120)
            assert failure is not None or found == data(server.body), f"input {number}"
        counted()
    assert refused > 100 * TIMES
    assert cells > 100 * TIMES


def data(body: bytes) -> Any:
    """What an answer holds; a byte that is no text may stand in a member that nobody asked for."""
    return json.loads(body.decode("utf-8", "replace"))["data"]


def exact(body: bytes, cell: int) -> bool:
    """Whether a sample of the answer has that very value, or in seconds a time that is kept in ms."""
    values = [pair[1] for one in data(body)["result"] for pair in one["values"]]
    for text in values:
        try:
            one = Fraction(float(text))
        except (ValueError, OverflowError):
            continue
        if cell in (one, round(float(text) * 1000), round(float(text) * 1e9)):
            return True
    return False


@pytest.mark.fault(25)
def test_an_exposition_gives_its_own_numbers_or_none(counted: Callable[[], None]) -> None:
    told = repeated = 0
    for number, random in randoms(1500):
        body = mutated(random, EXPOSITION, [EXPOSITION, b" 1e400\n", b" -5\n", b" NaN\n", b'node_x{a="}"} 1\n'])
        found, twice = hosts.parse(body)
        for metric, column in hosts.METRICS.items():
            said = [line for line in body.decode("latin-1").split("\n") if of_metric(line, metric)]
            assert (metric in twice) == (len(said) > 1), f"input {number}: {body!r}"
            wanted = exposed(said[0], column == "boot_time_s") if len(said) == 1 else None
            assert found.get(column) == wanted, f"input {number}: {metric} in {body!r}"
        told += len(found)
        repeated += len(twice)
        counted()
    assert told > 1000 * TIMES
    assert repeated > 50 * TIMES


def of_metric(line: str, metric: str) -> bool:
    """Whether a line is of a metric."""
    return line.startswith(metric) and line[len(metric) : len(metric) + 1] in ("{", " ", "\t")


def exposed(line: str, is_time: bool) -> int | None:
    """The value of a line, read character by character; None where it has none that is a count or a time."""
    place = next(at for at, one in enumerate(line) if one in "{ \t")
    if line[place] == "{" and "}" in line:
        place = line.index("}") + 1
    words = line[place:].rstrip(" \t\r").replace("\t", " ").split(" ")
    words = [words[0], *(word for word in words[1:] if word)]
    if len(words) not in (2, 3) or words[0] or len(words[1]) > 40:
        return None
    if len(words) == 3 and not digits(words[2].removeprefix("-")):
        return None
    mantissa, e, power = words[1].replace("E", "e").partition("e")
    sign, mantissa = (-1, mantissa[1:]) if mantissa[:1] == "-" else (1, mantissa.removeprefix("+"))
    whole, _dot, part = mantissa.partition(".")
    exponent = power[1:] if power[:1] in ("+", "-") else power
    if not digits(whole + part) or (e and not digits(exponent)):
        return None
    exponent = exponent.lstrip("0")
    if not int(whole + part):
        return 0
    if len(exponent) > 4:
        return None
    shift = int(exponent or 0) * (-1 if power[:1] == "-" else 1) - len(part)
    number = sign * int(whole + part) * Fraction(10) ** shift
    if not 0 <= number < 2**63:
        return None
    return int(number) if is_time or number.denominator == 1 else None


def digits(text: str) -> bool:
    """Whether a text is of ASCII digits, one at least."""
    return bool(text) and all(one in "0123456789" for one in text)
