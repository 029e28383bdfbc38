"""Names that clusters make up: object names, client software and its versions, hosts, topics in cells and headers."""

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_fleet.base.addresses import forbidden, host_problem, literal_address, url_problem
from kafka_fleet.base.text import one_line as header
from kafka_fleet.collect.agent_urls import endpoints
from kafka_fleet.collect.jolokia.rows import Rows
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.knowledge.declared_clients import version_in
from kafka_fleet.knowledge.releases import comparable_release
from kafka_fleet.knowledge.versions import apache_release, parse_release
from kafka_fleet.report.attachments import table
from kafka_fleet.report.sanitize import displayed
from kafka_fleet.schema import mbeans
from support.generators.fuzz_inputs import ODD, generated, mutated, one_line, randoms, tried
from support.oracles.answer_oracle import name_of

SOFTWARE = next(b for b in mbeans.beans(mbeans.BROKER) if b.table == "client_software")
NAMES = [
    b"kafka.log:name=LogEndOffset,partition=3,topic=orders,type=Log",
    b'kafka.server:clientSoftwareName="a,b",clientSoftwareVersion=3.3.1,listener=X,networkProcessor=0,type=y',
    b'java.lang:type=Runtime,name="a\\"b\\n"',
]


def text(random: Random, seeds: list[bytes]) -> str:
    """A text that is nearly one of these."""
    return mutated(random, random.choice(seeds), seeds).decode("utf-8", random.choice(("replace", "surrogateescape")))


@pytest.mark.fault(27)
def test_object_names_are_read_as_a_slow_reader_does_or_refused(counted: Callable[[], None]) -> None:
    for number, random in randoms(3000):
        name = text(random, NAMES)
        wanted = name_of(name)
        found, error = tried(ValueError, mbeans.properties, name)
        assert found == (wanted[1] if wanted is not None else None), f"input {number}: {name!r}"
        assert error is None or one_line(str(error), 600)
        counted()


@generated(60)
@given(name=st.text(max_size=40), version=st.text(max_size=20), listener=st.text(max_size=20), count=st.integers(0, 9))
@pytest.mark.fault(27)
def test_any_client_software_is_a_row_with_that_very_name(name: str, version: str, listener: str, count: int) -> None:
    quoted = [json.dumps(one, ensure_ascii=False) for one in (name, version, listener)]
    quoted = [one.replace("\\t", "\t").replace("\\r", "\r").replace("\\b", "\b").replace("\\f", "\f") for one in quoted]
    if any("\\u" in one for one in quoted):
        return  # JSON's own escape, which ObjectName.quote does not make
    properties = f"clientSoftwareName={quoted[0]},clientSoftwareVersion={quoted[1]},listener={quoted[2]}"
    rows = Rows()
    rows.add(
        SOFTWARE, {f"kafka.server:{properties},networkProcessor=2,type=socket-server-metrics": {"connections": count}}
    )
    assert rows.by_table["client_software"] == {(name, version, listener, 2): {"connections": float(count)}}


def test_versions_are_numbers_that_are_written_there_or_none(counted: Callable[[], None]) -> None:
    seeds = [
        b"3.3.1",
        b"2.8.0-ccs",
        b"0.10.2.1",
        b"3.9.0.amzn-1",
        b"unknown",
        b"4.0.0-rc1",
        b"<2.1",
        b">=2.4,<3.3",
        b"3.2.x",
    ]
    for number, random in randoms(3000):
        version = text(random, seeds)
        found, usable = parse_release(version), comparable_release(version)
        if found is not None:
            assert version.strip().startswith(".".join(map(str, found.numbers))), f"input {number}: {version!r}"
            assert str(found) == version.strip()
        if usable is not None:
            assert set(version.strip()) <= set("0123456789."), f"input {number}: {version!r}"
        _within, error = tried(ValueError, version_in, version, apache_release("3.3.1"))
        assert error is None or len(str(error)) < 6000
        counted()


URLS = [
    b"http://broker-1.example.org:8778/jolokia",
    b"https://[2001:db8::1]:8778/jolokia",
    b"http://169.254.169.254/latest",
]
URLS += [b"https://10.0.0.7/j", b"http://2852039166:80/", b"http://0xa9fea9fe/", b"http://[::ffff:169.254.169.254]/x"]
URLS += [b"http://[fd00:ec2::23]/", b"http://168.63.129.16/", b"http://[64:ff9b:1::a9fe:a9fe]/"]
URLS += [b"http://[::ffff:0:169.254.169.254]/", b"http://[fd20:ce::254]:80/"]


@pytest.mark.fault(14, 15)
def test_urls_that_pass_name_an_allowed_host_and_nothing_else(counted: Callable[[], None]) -> None:
    passed = 0
    for number, random in randoms(3000):
        url = text(random, URLS)
        problem = url_problem(url)
        if problem is None:
            passed += 1
            scheme, _colon, rest = url.partition("://")
            assert scheme.lower() in ("http", "https"), f"input {number}: {url!r}"
            assert not set(rest) & set("@?#\\ \r\n\t\0"), f"input {number}: {url!r}"
            authority = rest.partition("/")[0]
            host = authority[1:].partition("]")[0] if authority.startswith("[") else authority.partition(":")[0]
            address = literal_address(host)
            assert address is None or forbidden(address) is None, f"input {number}: {url!r}"
        else:
            assert one_line(problem, 200)
        counted()
    assert passed


@pytest.mark.fault(14, 15, 53)
def test_an_advertised_host_stays_the_host_of_its_url(counted: Callable[[], None]) -> None:
    entry = {"id": "a", "environment": "production", "owners": ["a@example.org"], "bootstrap_servers": ["h:1"]}
    made = parse_fleet(
        {"version": 1, "clusters": [{**entry, "jolokia": {"url_template": "http://{host}:8778/jolokia"}}]}, "f"
    )
    seeds = [b"broker-1.example.org", b"10.0.0.1", b"fe80::1", b"evil/x?", b"a@b", b"169.254.169.254", b"2852039166"]
    seeds += [b"168.63.129.16", b"fd00:ec2::23", b"64:ff9b:1::a9fe:a9fe", b"::ffff:0:169.254.169.254"]
    for number, random in randoms(1500):
        host = mutated(random, random.choice(seeds), seeds).decode("utf-8", "replace")
        url = endpoints(made.clusters[0], {1: host})[1] or ""
        assert url.startswith("http://"), f"input {number}: {host!r}"
        assert url.endswith(":8778/jolokia"), f"input {number}: {host!r}"
        assert not set(url[7:-13]) & set("/?#@\\"), f"input {number}: {host!r}"
        if url_problem(url) is None:
            assert host_problem(host) is None or "%" in url, f"input {number}: {host!r}"
        counted()


RUN = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
SEEDS = [
    b"orders",
    b"=cmd|' /C calc'!A0",
    b"-1.5",
    b"+49",
    b"@SUM(1)",
    b"a;=1",
    b"1e-9",
    b"x\r\nBcc: y@example.org",
    *map(str.encode, ODD[:5]),
]


@pytest.mark.fault(54, 55)
def test_cells_run_nothing_and_headers_are_one_line(counted: Callable[[], None]) -> None:
    for number, random in randoms(3000):
        name = text(random, SEEDS)
        (row,) = csv.reader(io.StringIO(table((name, "7"), [])))
        assert row[1] == "7"
        plain = (
            row[0]
            .removeprefix("-")
            .replace(".", "")
            .replace("e", "")
            .replace("E", "")
            .replace("-", "")
            .replace("+", "")
        )
        figure = plain != "" and plain.isascii() and plain.isdigit()
        assert figure or not row[0][:1] or row[0][0] not in RUN, f"input {number}: {name!r}"
        line = header(name)
        assert len(line) <= 200
        assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")], (
            f"input {number}: {name!r}"
        )
        seen = displayed(name, 80)
        assert len(seen) < 200
        assert not [c for c in seen if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")], (
            f"input {number}: {name!r}"
        )
        counted()
