"""Storms of connections and unclean restarts equal a second computation from their pages, on random small fleets."""

import pytest

from support.generators.fleetgen.shape import DS
from support.generators.generated import Generated
from support.oracles.same_rows import limits, of_kind, same, same_detections, same_states
from support.oracles.stop_oracle import StopOracle
from support.oracles.storm_oracle import StormOracle

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
LISTENER = ("cluster", "broker", "listener", "kind", "to_sweep")
SPAN = (
    *LISTENER, "from_at", "to_at", "seconds", "process_seconds", "processors", "held", "held_before", "created",
    "failed_authentications", "blocked_ns", "leaders", "backlog", "backlog_known", "somaxconn", "internal", "burst_s",
)  # fmt: skip
BURST = (
    *LISTENER, "usual", "score", "kept", "cause", "intervals_known", "together_by_rate",
    "together_by_acceptor", "together_by_kernel", "held_back", "together",
)  # fmt: skip
STORM = (
    *LISTENER, "cause", "strength", "send_ms_before", "send_ms_after", "listen_overflows", "listen_drops",
    "syncookies_sent", "tcp_syncookies", "tcp_max_syn_backlog",
)  # fmt: skip
RESTART = (
    "cluster", "broker", "to_sweep", "from_sweep", "process_start", "ended_by", "was_controller", "stops",
    "possible_stops", "controlled_shutdowns",
)  # fmt: skip
JUDGED = (
    "cluster", "broker", "process_start", "judged_as", "is_long", "is_proven", "sequence_errors", "invalid_records",
    "known_ids", "lost_ids", "topics", "start_seconds", "usual_seconds", "remaining_logs", "fenced_brokers",
    "controlled_shutdown_brokers", "refused_registrations",
)  # fmt: skip


@pytest.mark.fault(59)
def test_reconnect_storm(fleets: Generated) -> None:
    """Every interval of a listener, every burst, every storm, and what is detected with its figures."""
    oracle = StormOracle(fleets.home, DS, limits("reconnect_storm"))
    spans = of_kind(fleets.views["connection_spans"], "storms")
    same(spans, oracle.spans, SPAN)
    moved = [(span | {"overflows": span["overflows"] if span["host_read"] else None}) for span in spans]
    gains = (*LISTENER, "overflows", "leaders_gained")
    same(*([s for s in rows if s["kind"] == "sweeps"] for rows in (moved, oracle.spans)), gains)
    same(of_kind(fleets.views["bursts"], "storms"), oracle.bursts, BURST)
    same(of_kind(fleets.views["reconnect_storm_detections"], "storms"), oracle.storms, STORM)
    found = {(storm["cause"], storm["strength"]) for storm in oracle.storms}
    both = {
        (cause, strength) for cause in ("restart", "leader_move", "deploy") for strength in ("conclusive", "suggestive")
    }
    assert found == both | {("auth_failures", "conclusive")}
    detections = fleets.detections("reconnect_storm", "storms")
    same_detections("reconnect_storm", detections, list(oracle.detections()))
    same_states("reconnect_storm", fleets.results, "storms", oracle.unmeasured())


@pytest.mark.fault(59)
def test_unclean_restart(fleets: Generated) -> None:
    """Every restart, what each is judged as by its start and its end, and what is detected with its figures."""
    oracle = StopOracle(fleets.home, DS, limits("unclean_restart"))
    same(of_kind(fleets.views["restarts"], "stops"), oracle.restarts, RESTART)
    same(of_kind(fleets.views["judged_restarts"], "stops"), oracle.judged, JUDGED)
    judged = {one["judged_as"] for one in oracle.judged}
    assert judged == {"killed", "some_killed", "clean_roll", "unknown", "first_read"}
    detections = list(oracle.detections())
    assert {one["cause"] for one in detections} == {"killed", "long_recovery"}
    assert {one["strength"] for one in detections} == {"conclusive", "suggestive"}
    same_detections("unclean_restart", fleets.detections("unclean_restart", "stops"), detections)
    same_states("unclean_restart", fleets.results, "stops", oracle.unmeasured())
