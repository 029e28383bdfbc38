"""Real connections that come back together: proven by the kernel, suggested by the acceptor, quiet where all fit."""

from typing import Any

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from support.live import crippled, netns, storm
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("storms")]
BUG, SETTING = "KAFKA-9648", "CFG-LISTEN-BACKLOG"
WHY_NOT = ("network namespaces need", "no network namespace can", "the network namespaces cannot", "node_exporter ")


def require_run(measured: Measured, name: str) -> None:
    """Skip where a storm between namespaces could not be made; any other reason fails."""
    outcome = netns.outcome(measured.home, name)
    if outcome != netns.RAN:
        assert outcome.startswith(WHY_NOT)
        assert name not in measured.days
        # for want of the right to make namespaces, or of node_exporter (WHY_NOT); tests/sql/checks has such rows
        pytest.skip(f"the storm that the kernel counts did not run: {outcome}")


def evidence(finding: dict[str, Any], word: str) -> float:
    return float(next(line["value"] for line in finding["evidence"] if word in line["metric"]))


def test_a_storm_over_a_restart_is_suggested_by_the_acceptor_alone(measured: Measured) -> None:
    """The broker's own counters cannot tell whether the kernel's queue overflowed."""
    finding = measured.finding("storm312", BUG)
    assert (finding["verdict"], finding["strength"]) == ("exposed", "suggestive")
    state = measured.state("storm312", "reconnect_storm")
    (found,) = (one for one in state["detections"] if one["cause"] == "restart")
    assert found["subjects"] == ["broker 2", "listener PLAINTEXT"]
    assert found["bounds"]["backlog_in_force"] == 50
    assert 20 < found["bounds"]["together_at_least"] <= found["bounds"]["together_at_most"] <= 1.1 * storm.CONNECTIONS
    spans = measured.facts("listener_connections", cluster="storm312", broker=2, kind="start", listener="PLAINTEXT")
    (back,) = (one for one in spans if one["held_before"] is not None)
    assert min(back["held_before"], back["created"], back["held"]) >= storm.CONNECTIONS  # they came to stay
    assert evidence(found, "acceptor waited for a") > 0
    assert evidence(found, "while the acceptor waited") < 50
    assert "broker 2: no kernel counters, so whether the backlog overflowed is not known" in state["missing"]
    assert measured.finding("storm312", SETTING)["exposure"] == "not_exposed"  # the release has no such setting


@pytest.mark.scenario("storms-others")
@pytest.mark.sampled("storms-others")
def test_the_same_storm_fits_a_raised_backlog(measured: Measured) -> None:
    for advisory in (BUG, SETTING):
        finding = measured.finding("storm411", advisory)
        assert (finding["verdict"], finding["signature_state"]) == ("not_affected", "quiet")
        assert finding["missing"] == []
    spans = measured.facts("listener_connections", cluster="storm411", broker=2, kind="start", listener="PLAINTEXT")
    back = [one for one in spans if one["held_before"] is not None]
    assert [one["created"] >= storm.CONNECTIONS for one in back] == [True]  # they did come back over the restart


@pytest.mark.scenario("storms-others")
@pytest.mark.sampled("storms-others")
def test_real_cookies_are_counted_or_the_run_says_why_not(measured: Measured) -> None:
    require_run(measured, netns.NAME)
    finding = measured.finding(netns.NAME, BUG)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "restart", "conclusive")
    assert finding["subjects"] == ["broker 1", "listener PLAINTEXT"]
    assert evidence(finding, "accept queue full") >= 10
    assert evidence(finding, "SYN cookies sent") > 0
    assert evidence(finding, "tcp_max_syn_backlog") == 64
    assert (
        50 < finding["bounds"]["together_at_least"] <= finding["bounds"]["together_at_most"] <= 1.1 * netns.CONNECTIONS
    )
    assert measured.dossier(netns.NAME)["coverage"]["brokers"][0]["failed"] == 0


@pytest.mark.scenario("storms-others")
@pytest.mark.sampled("storms-others")
def test_no_cookie_is_counted_where_the_backlog_was_raised(measured: Measured) -> None:
    """The script of the storm with cookies, on a release that has the setting."""
    require_run(measured, netns.FITS)
    for advisory in (BUG, SETTING):
        finding = measured.finding(netns.FITS, advisory)
        assert (finding["verdict"], finding["signature_state"]) == ("not_affected", "quiet")
    counted = [one for one in measured.facts("host_counters", cluster=netns.FITS) if one["from_sweep"]]
    assert counted
    assert {(one["syncookies_sent"], one["listen_overflows"]) for one in counted} == {(0, 0)}, "the kernel was asked"
    spans = measured.facts("listener_connections", cluster=netns.FITS, kind="start", listener="PLAINTEXT")
    assert [one["created"] >= netns.CONNECTIONS for one in spans if one["held_before"] is not None] == [True]


@pytest.mark.scenario("crippled")
@pytest.mark.sampled("crippled")
def test_connections_without_window_scaling_are_told_from_those_that_never_had_it(measured: Measured) -> None:
    require_run(measured, crippled.NAME)
    finding = measured.finding(crippled.NAME, BUG)
    assert (finding["verdict"], finding["cause"]) == ("confirmed", "restart")
    lost = evidence(finding, "as cookies leave them")
    assert 0 < lost <= crippled.CONNECTIONS
    assert evidence(finding, "turned off themselves") == crippled.UNSCALED
    rows = measured.raw("hosts", crippled.NAME)
    assert {row["unscaled_connections"] for row in rows} == {crippled.UNSCALED}
    assert all(sum(row[f"{kind}_connections"] for kind in ("scaled", "unscaled", "bare")) > 300 for row in rows)
    listed = crippled.peers(measured.home)
    assert lost <= len(listed) <= crippled.CONNECTIONS
    assert {line.split()[1].rpartition(":")[0] for line in listed} == {netns.address(0, 2)}, (
        "the look-alike is not listed"
    )


@pytest.mark.scenario("crippled")
@pytest.mark.sampled("crippled")
def test_the_kernel_s_log_alone_proves_a_storm_that_no_counter_is_read_of(measured: Measured) -> None:
    require_run(measured, crippled.NAME)
    if reason := crippled.unread():
        # for want of the right to read the kernel's log, as in most containers; tests/sql/checks has such rows
        pytest.skip(f"the kernel's log of a storm was not read: {reason}")
    marks = measured.facts("log_marks", cluster=crippled.FLOODED, mark="syn_flood")
    assert sum(row["line_count"] for row in marks) >= 1
    assert measured.raw("hosts", crippled.FLOODED) == [], "no counter of the kernel"
    finding = measured.finding(crippled.FLOODED, BUG)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "restart", "conclusive")
    assert evidence(finding, "SYN flooding") == 1, "the kernel says it once for each socket"


def test_the_texts_say_that_the_upgrade_alone_changes_nothing() -> None:
    for name in (BUG, SETTING):
        texts = f"{load_advisories()[name].why_upgrade} {load_advisories()[name].workaround}"
        for word in ("socket.listen.backlog.size", "net.core.somaxconn", "net.ipv4.tcp_max_syn_backlog", "recycle"):
            assert word in texts
