"""The agent's settings that the documentation shows are settings of that agent: it ignores what it does not know."""

import re
import zipfile

import pytest

from fleet_demo.artifacts import jolokia_agent, kafka_jars
from support.inspection.doc_commands import ROOT, blocks, calls

PAGES = {name: (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("agent", "tutorial")}


@pytest.fixture(scope="module")
def known() -> bytes:
    """Every class of the agent, in which the names of its settings stand as they are spelled."""
    with zipfile.ZipFile(jolokia_agent(kafka_jars("3.3.1"))) as jar:
        return b"".join(jar.read(name) for name in jar.namelist() if name.endswith(".class"))


def spelled(known: bytes, name: str) -> bool:
    return re.search(rb"[^A-Za-z]" + name.encode() + rb"[^A-Za-z]", known) is not None


def test_every_property_is_one(known: bytes) -> None:
    (content,) = blocks(PAGES["agent"], "properties")
    names = [line.partition("=")[0] for line in content.splitlines() if not line.startswith("#")]
    assert len(names) > 15
    assert [name for name in names if not spelled(known, name)] == []
    assert not spelled(known, "extraClientCheck")


def test_every_option_of_the_launcher_is_one(known: bytes) -> None:
    runs = [words for text in PAGES.values() for words in calls(text, "java")]
    options = {word.removeprefix("--") for words in runs for word in words if word.startswith("--")}
    assert options >= {"host", "port", "policyLocation", "config", "startTimeout"}
    assert [option for option in options if not spelled(known, option)] == []
