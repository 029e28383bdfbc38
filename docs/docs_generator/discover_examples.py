"""Examples of docs/discover.md: runs `kafka-fleet discover` on the recorded inputs, gives what it prints, fenced."""

import contextlib
import io
import tempfile
from functools import cache
from pathlib import Path

from docs_generator import ROOT
from kafka_fleet.cli.main import main

PAGE = "docs/discover.md"
DATA = ROOT / "tests" / "data" / "discover"
_DEFAULTS = ("--owner", "kafka-platform@example.org", "--environment", "development")
_BEFORE = "payments b1.example.org:9092,b2.example.org:9092 environment=prod owner=payments@example.org\n"
_ORDERS = "orders o1.example.org:9092 environment=prod owner=orders@example.org\n"
_AFTER = _BEFORE.replace("b2", "b3") + "events e1.example.org:9092 environment=test owner=events@example.org\n"


def _printed(*words: str, code: int = 0) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        ended = main(["discover", *words])
    if ended != code:
        raise RuntimeError(f"discover {' '.join(words)} ended with {ended}")
    return printed.getvalue()


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def _first(text: str) -> str:
    """The first cluster of what is printed, without the head of the file."""
    return text.split("\n\n")[1].replace("\n  ", "\n").strip()


def _second_run() -> str:
    """What is said of a list that has changed since it was written to a fleet file."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("clusters.txt").write_text(_BEFORE + _ORDERS)
        _printed("hosts", "clusters.txt", "--fleet", "fleet.yaml", "--write")
        Path("clusters.txt").write_text(_AFTER)
        return _printed("hosts", "clusters.txt", "--fleet", "fleet.yaml", code=1)


@cache
def blocks() -> dict[str, str]:
    """Each example by the name of its block."""
    with tempfile.TemporaryDirectory() as folder:
        msk = Path(folder) / "msk.json"
        msk.write_text((DATA / "msk-clusters.json").read_text() + (DATA / "msk-brokers.json").read_text())
        return {
            "strimzi": _fenced("yaml", _printed("strimzi", str(DATA / "strimzi-list.yaml"))),
            "msk": _fenced("yaml", _first(_printed("msk", str(msk)))),
            "confluent": _fenced("yaml", _first(_printed("confluent", str(DATA / "confluent-hosts.yml")))),
            "compose": _fenced("yaml", _first(_printed("compose", str(DATA / "docker-compose.yml"), *_DEFAULTS))),
            "hosts list": _fenced("text", (DATA / "hosts.txt").read_text()),
            "second run": _fenced("diff", _second_run()),
        }
