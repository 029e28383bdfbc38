"""Clocks: days are UTC days in any zone, a clock that is set back stores nothing, a leap second is no fault."""

import json
import time
from datetime import UTC, datetime, timedelta, tzinfo
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from fleet_spark.facts import CLOCK_SECONDS
from kafka_fleet.collect import sweep as module
from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia import bulks as jolokia
from kafka_fleet.collect.jolokia.client import sweep_broker
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.store.home_names import checked_day
from kafka_fleet.store.raw.compaction import compact, remove_superseded
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests
from support.builders.swept_clusters import RESOLVER, cluster
from support.servers.jolokia_simulator import Agent, agent

pytestmark = pytest.mark.fault(35)
SWEEPS = {"sweeps": [{"admin_outcome": "ok"}]}
BERLIN = {"23 hours": "2026-03-29", "25 hours": "2026-10-25"}  # local days; both begin at 22:00 or 23:00 UTC
EVERY = timedelta(minutes=10)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("ds", BERLIN.values(), ids=BERLIN.keys())
def test_a_local_day_of_23_or_25_hours_has_as_many_sweeps_as_any(tmp_path: Path, ds: str):
    local = datetime.fromisoformat(ds).astimezone()
    hours = ((datetime.fromisoformat(ds) + timedelta(days=1)).timestamp() - local.timestamp()) / 3600
    assert hours == float(next(key for key, one in BERLIN.items() if one == ds).split()[0])
    midnight = datetime.fromisoformat(ds).replace(tzinfo=UTC)
    moments = [midnight - EVERY, midnight, midnight + timedelta(hours=1), midnight + timedelta(days=1) - EVERY]
    moments += [midnight + timedelta(days=1), *(local.astimezone(UTC) + timedelta(hours=n) for n in (2, 3))]
    moments = sorted(set(moments))
    for moment in moments:
        land(tmp_path, "a", moment.astimezone(), SWEEPS)  # in local time, as a machine in Berlin has it
    stored = [one.sweep_at for one in manifests(tmp_path, checked_day(ds))[0]]
    assert stored == [moment for moment in moments if moment.date().isoformat() == ds]
    assert stored[0] == midnight


@pytest.mark.usefixtures("berlin")
def test_two_sweeps_in_the_local_hour_that_comes_twice_are_two_and_in_order(tmp_path: Path):
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    second = first + timedelta(hours=1)
    assert first.astimezone().strftime("%H:%M") == second.astimezone().strftime("%H:%M") == "02:30"
    for moment in (second, first):
        land(tmp_path, "a", moment.astimezone(), SWEEPS)
    assert [one.sweep_at for one in manifests(tmp_path, "2026-10-25")[0]] == [first, second]


class Set:
    """In place of `datetime`: the time that it is set to."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self, zone: tzinfo | None = None) -> datetime:
        return self.at.astimezone(zone)


def test_a_clock_that_is_set_back_stores_nothing_until_it_has_caught_up(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module, "sweep_admin", lambda *_: AdminSweep("failed", "none", [], None, None, {}))
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    with agent(Agent()) as one:
        wanted = cluster({"brokers": {1: one.url}})
        for minutes, stored in ((0, 1), (10, 2), (5, 2), (-60, 2), (11, 3)):
            monkeypatch.setattr(module, "datetime", Set(noon + timedelta(minutes=minutes)))
            if minutes in (5, -60):
                with pytest.raises(module.ClockRanBack, match="payments-eu: a sweep of 20261120T121000"):
                    module.sweep_cluster(wanted, tmp_path, RESOLVER, Limits())
            else:
                module.sweep_cluster(wanted, tmp_path, RESOLVER, Limits())
            assert len(manifests(tmp_path, "2026-11-20")[0]) == stored
    files = [path for path in tmp_path.rglob("*.parquet") if "T1205" in path.name or "T1100" in path.name]
    assert files == [], "what was written before it was noticed is removed"


def test_sweeps_of_a_clock_that_was_a_day_ahead_are_seen_over_midnight(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module, "sweep_admin", lambda *_: AdminSweep("failed", "none", [], None, None, {}))
    late = datetime(2026, 11, 20, 23, 55, tzinfo=UTC)
    land(tmp_path, "payments-eu", late + EVERY, SWEEPS)
    monkeypatch.setattr(module, "datetime", Set(late))
    with agent(Agent()) as one, pytest.raises(module.ClockRanBack):
        module.sweep_cluster(cluster({"brokers": {1: one.url}}), tmp_path, RESOLVER, Limits())


@pytest.mark.parametrize("date", ["Tue, 30 Jun 2026 23:59:60 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "yesterday"])
def test_an_answer_dated_in_a_leap_second_is_an_answer(date: str):
    def dated(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps([one.answer(entry) for entry in one.seen[-1][2]]).encode()
        handler.send_response_only(200)
        for name, value in (("Date", date), ("Set-Cookie", f"seen=1; Expires={date}"), ("Content-Length", len(body))):
            handler.send_header(name, str(value))
        handler.end_headers()
        handler.wfile.write(body)

    with agent(Agent()) as one:
        one.wire = dated
        found = sweep_broker(one.url, Credentials(), Limits())
    assert (found.outcome, found.detail) == ("ok", None)
    assert abs(found.agent_clock_skew_s or 99) < 3


@pytest.mark.parametrize("second", [0, 1])
def test_a_second_that_comes_twice_moves_the_agents_clock_by_no_more_than_that(second: int):
    with agent(Agent()) as one:
        one.entry = lambda _mbean, given: {**given, "timestamp": given["timestamp"] - second}
        found = sweep_broker(one.url, Credentials(), Limits())
    assert found.agent_clock_skew_s is not None
    assert abs(found.agent_clock_skew_s + second) < 3 < CLOCK_SECONDS  # of which no interval is left out


@pytest.mark.parametrize("joined", [False, True], ids=["as they landed", "joined"])
@pytest.mark.parametrize("back", [timedelta(days=2), timedelta(days=11), timedelta(days=4000)], ids=str)
def test_a_clock_that_is_set_back_by_days_stores_nothing(tmp_path: Path, monkeypatch, back: timedelta, joined: bool):
    monkeypatch.setattr(module, "sweep_admin", lambda *_: AdminSweep("failed", "none", [], None, None, {}))
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    for cluster_id, days in (("payments-eu", 0), ("orders-eu", 1)):  # another cluster's later days do not matter
        for minutes in (0, 10, 20, 30):
            land(tmp_path, cluster_id, noon + timedelta(days=days, minutes=minutes), SWEEPS)
    if joined:
        compact(tmp_path, "2026-11-20")
        remove_superseded(tmp_path, "2026-11-20", time.time() + 10**6)
    monkeypatch.setattr(module, "datetime", Set(noon - back))
    with agent(Agent()) as one:
        wanted = cluster({"brokers": {1: one.url}})
        with pytest.raises(module.ClockRanBack, match="payments-eu: a sweep of 20261120T123000"):
            module.sweep_cluster(wanted, tmp_path, RESOLVER, Limits())
        assert not list(tmp_path.rglob(f"*{noon - back:%Y%m%dT%H}*.*"))
        monkeypatch.setattr(module, "datetime", Set(noon + timedelta(minutes=40)))
        module.sweep_cluster(wanted, tmp_path, RESOLVER, Limits())


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=-1)], ids=["ahead", "back"])
def test_a_clock_that_is_set_during_a_read_puts_the_read_at_no_third_time(monkeypatch, jump: timedelta):
    begin = datetime.now(UTC)
    moments = iter([begin])

    class Jumping:
        def now(self, _zone: tzinfo | None = None) -> datetime:
            return next(moments, begin + jump)

    monkeypatch.setattr(jolokia, "datetime", Jumping())
    with agent(Agent()) as one:
        found = sweep_broker(one.url, Credentials(), Limits())
    assert found.read_at is not None
    assert min(abs(found.read_at - at) for at in (begin, begin + jump)) < timedelta(seconds=5)
