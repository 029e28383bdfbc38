"""Builds of vendors: the Apache release that each has whole, and what follows from it for an advisory."""

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure_states import in_range
from kafka_fleet.knowledge.ranges import parse_line
from kafka_fleet.knowledge.releases import apache_release, catalogue
from kafka_fleet.knowledge.vendors import lines_with, load_vendors, vendor_build

ADVISORIES = load_advisories()


@pytest.mark.parametrize(
    ("text", "line", "base"),
    [
        ("7.4.0-ccs", "3.4", "3.4.0"),
        ("7.4.1-ccs", "3.4", "3.4.0"),  # its first builds came before 3.4.1
        ("7.4.2-ce", "3.4", "3.4.1"),
        ("7.4.99-ccs", "3.4", "3.4.1"),  # newer than the table: at least what the newest known one has
        ("7.2.0-ccs", "3.2", None),  # between two releases, neither of them whole
        ("7.2.3-ccs", "3.2", "3.2.3"),
        ("5.5.1-ccs", "2.5", "2.5.0"),
        ("2.7.0.redhat-00005", "2.7", "2.7.0"),
        ("2.8.1.amzn.1", "2.8", "2.8.1"),
    ],
)
def test_a_build_is_at_least_as_patched_as_a_release(text: str, line: str, base: str | None) -> None:
    build = vendor_build(text)
    assert build is not None
    assert build.line == parse_line(line)
    assert build.base == (apache_release(base) if base else None)


@pytest.mark.parametrize(
    "text",
    [
        "3.3.1",
        "7.4.1",
        "9.9.0-ccs",
        "7.4.1-ccs-1",
        "7.4.1-SNAPSHOT",
        "3.3.9.redhat-00001",
        "3.3.1-acme",
        "unknown",
        "",
        None,
    ],
)
def test_what_is_no_known_build_stays_unknown(text: str | None) -> None:
    assert vendor_build(text) is None


@pytest.mark.parametrize(
    ("advisory", "text", "affected", "words"),
    [
        # no release of the line from there on has it
        ("KAFKA-14334", "7.4.1-ccs", False, "runs 7.4.1-ccs, at least as patched as Apache 3.4.0, without it"),
        ("KAFKA-13636", "6.2.8-ce", False, "at least as patched as Apache 2.8.2, without it"),
        ("CVE-2022-34917", "7.2.3-ccs", False, "without it"),
        ("KAFKA-14334", "3.6.0.amzn.1", False, "without it"),
        # every one has it, and no build of Confluent's line names a fix
        ("KAFKA-14334", "7.2.3-ccs", True, "an affected release; no release of that line mends it"),
        ("KAFKA-14334", "7.2.0-ccs", True, "built on Apache 3.2, an affected release"),
        ("KAFKA-12686", "6.2.16-ccs", True, "at least as patched as Apache 2.8.2, an affected release"),
        # Confluent took the setting of KIP-764 into older lines
        ("KAFKA-9648", "6.2.16-ccs", None, "some builds of its line mend it, and Confluent Platform says which"),
        # mended within the line
        ("KAFKA-13636", "6.2.1-ccs", None, "a later release of that line mends it"),
        ("CVE-2022-34917", "7.2.0-ccs", None, "a later release of that line mends it"),
        # security is mended in lines that Apache has given up
        ("CVE-2026-111115", "7.4.2-ccs", None, "Confluent Platform says whether this build mends it"),
        # newer than what was compared, and vendors whose fixes nobody compared
        ("KAFKA-14334", "7.2.99-ccs", None, "Confluent Platform says whether this build mends it"),
        ("KAFKA-14334", "2.7.0.redhat-00005", None, "Red Hat's Streams for Apache Kafka says whether"),
        ("KAFKA-14334", "2.8.1-amzn-1", None, "Amazon MSK says whether"),
        ("KAFKA-14334", "3.2.0-acme", None, "an unknown build that cannot be compared"),
    ],
)
def test_an_advisory_and_a_build(advisory: str, text: str, affected: bool | None, words: str) -> None:
    found, because = in_range(ADVISORIES[advisory], text, "broker 1")
    assert found is affected
    assert words in because


def test_the_lines_of_a_vendor_lead_to_apaches() -> None:
    assert lines_with("Confluent Platform", apache_release("3.9.2")) == "7.9"
    assert lines_with("Confluent Platform", apache_release("4.2.2")) == "8.2"
    assert lines_with("Amazon MSK", apache_release("3.9.2")) is None


def test_every_line_of_the_table_is_sound() -> None:
    for vendor in load_vendors().values():
        for own, line in vendor.lines.items():
            held = [apache_release(text) for text in line.holds.values()]
            builds = [apache_release(text) for text in line.holds]
            assert held == sorted(held), own
            assert builds == sorted(builds), own
            assert set(line.carries) <= set(ADVISORIES), own
            assert any(release.line == parse_line(line.apache) for release in catalogue().dates), own
            for name in line.carries:  # else a build without the fix would be called unknown for nothing
                affected = ADVISORIES[name].affected
                assert affected is not None
                of_line = [r for r in catalogue().dates if r.line == parse_line(line.apache)]
                assert any(release in affected.releases for release in of_line), (own, name)
