"""What could not be decided, by what would decide it: one whole sentence each, whatever is missing."""

import json
from pathlib import Path

import pytest

from kafka_fleet.documents.finding import parsed_findings
from kafka_fleet.report.undecided import Decider, deciders
from support.builders.letter_rows import finding
from support.homes.golden_homes import unpack

DECLARE = "Declare the client libraries under client_configs in the fleet file"


def lines(*missing: list[str]) -> list[str]:
    rows = [finding(f"KAFKA-{place}", "unknown", missing=own) for place, own in enumerate(missing)]
    return [one.line for one in deciders(parsed_findings(rows))]


@pytest.mark.parametrize(
    ("missing", "line"),
    [
        (["the settings of broker 3 were not read (a.b)"], "Read the settings of broker 3"),
        (["the settings of controller 9 were not read (a.b)"], "Look up a.b on controller 9"),
        (["the release of controller 9 was not read"], "Reach the agent of controller 9"),
        (["the listeners of broker 3 were not read"], "Read the settings of broker 3"),
        (
            ["broker 1 reports no setting x.y", "broker 2 reports no setting x.y"],
            "Find out x.y of brokers 1 and 2, which report no such setting",
        ),
        (["x.y is set on broker 4, to a value that is not shown"], "Look up x.y on broker 4"),
        (["broker 4 does not show the value of x.y"], "Look up x.y on broker 4"),
        (["a.b.enable was not read of any broker"], "Read a.b.enable of a broker"),
        (["min.insync.replicas was not read of topics: 3"], "Read min.insync.replicas of the topics"),
        (["the release of broker 5 was not read"], "Reach the agent of broker 5"),
        (["broker 6: no two reads, so whether it was restarted is not known"], "Read broker 6 at two sweeps or more"),
        (["2 connections on PLAIN name no library"], DECLARE),
        (["no sweep reached this cluster on this day", "the topics were not read"], "Reach the cluster"),
        (["the sweeps of the day noted no certificates"], "Collect by a version that notes certificates"),
        (["the certificate of agent b:1 was not read: no TLS handshake"], "Reach all listeners and agents over TLS"),
        (["2 of 2 brokers run a release before 3.7, such as 3.6.2, which counts no clients: only versions"],
         "Ask who writes and reads, since brokers do not count"),
        (["an input that nobody foresaw"], "An input that nobody foresaw."),
        ([], "No reason was recorded."),
    ],
)  # fmt: skip
def test_a_missing_input_says_what_to_do(missing: list[str], line: str) -> None:
    assert lines(missing) == [f"{line}{' ' if line.endswith('.') else ': '}1 issue waits for it."]


def test_issues_that_wait_for_the_same_are_one_line_and_most_of_them_come_first() -> None:
    settings = [[f"the settings of broker {number} were not read (a.b)"] for number in (3, 1, 2)]
    assert lines(["no broker was read"], *settings) == [
        "Read the settings of brokers 1, 2 and 3: 3 issues wait for it.",
        "Reach the agent of a broker: 1 issue waits for it.",
    ]
    many = [[f"the settings of broker {number} were not read (a.b)"] for number in range(40)]
    assert lines(*many) == ["Read the settings of brokers 0, 1, 2 and 37 more: 40 issues wait for it."]


def test_settings_of_the_same_brokers_are_one_line_and_those_of_others_another() -> None:
    told = "broker {} reports no setting {}"
    missing = [[told.format(1, "x.y")], [told.format(1, "a.b")], [told.format(2, "c.d")]]
    assert lines(*missing) == [
        "Find out a.b and x.y of broker 1, which report no such setting: 2 issues wait for it.",
        "Find out c.d of broker 2, which report no such setting: 1 issue waits for it.",
    ]


def test_what_any_broker_would_tell_is_found_out_of_those_whose_settings_are_found_out_anyway() -> None:
    missing = [["broker 1 reports no setting x.y"], ["a.b was not read of any broker"]]
    assert lines(*missing) == ["Find out a.b and x.y of broker 1, which report no such setting: 2 issues wait for it."]
    assert lines(missing[1]) == ["Read a.b of a broker: 1 issue waits for it."]


def test_recorded_days_are_told_in_a_few_lines_with_every_issue_in_one(tmp_path: Path) -> None:
    unpack(tmp_path, "judged")
    for path in tmp_path.glob("findings/ds=*/g0001/findings.json"):
        unknown = [one for one in parsed_findings(json.loads(path.read_bytes())) if one.verdict == "unknown"]
        found: list[Decider] = deciders(unknown)
        assert len(found) <= 5
        assert sum(len(one.findings) for one in found) == len(unknown)
        assert all(one.line.endswith(" for it.") and ". " not in one.line for one in found)
