"""The soak in small: an hour of six sweeps of five clusters, every kind of fault, counted from end to end."""

from pathlib import Path

import pytest

from benchmarks import soak
from benchmarks.soak_fleet import DEAD, EXPECTED, FAULTS, Soak
from kafka_fleet.collect import sweep
from kafka_fleet.collect.admin.client import sweep_admin
from kafka_fleet.collect.jolokia import bulks as jolokia

SMALL = Soak(clusters=5, sweeps=6)


def test_every_kind_of_fault_is_injected_and_one_cluster_is_dead():
    kinds = [kind for tick in range(SMALL.sweeps) for kind in SMALL.faults(tick).values()]
    assert set(kinds) == set(FAULTS)
    assert all(SMALL.faults(tick)[DEAD, broker] == "refused" for tick in range(6) for broker in (1, 2))
    assert SMALL.expected(range(6)).total() == 5 * 6 * 2
    assert len({EXPECTED[kind] for kind in FAULTS}) == len(FAULTS), "each shows by an outcome of its own"


@pytest.mark.sampled
@pytest.mark.fault(39)
def test_all_that_is_injected_is_landed_and_files_are_as_counted(tmp_path: Path):
    held, readings = soak.soaked(SMALL, tmp_path / "home")
    held += soak.stored(SMALL, tmp_path / "home")
    assert held == [True] * 7
    assert len(readings) == SMALL.sweeps
    assert readings[-1].files <= readings[0].files
    assert readings[-1].threads <= readings[0].threads
    assert sweep.sweep_admin is sweep_admin, "the stand-ins are gone"
    assert sweep.datetime is jolokia.datetime


@pytest.mark.sampled
@pytest.mark.fault(39)
def test_a_fault_that_was_not_injected_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    one = Soak(clusters=2, sweeps=3)
    monkeypatch.setitem(EXPECTED, "ok", ("partial", None))
    assert soak.collect(one, tmp_path / "home")[1] > 0


def test_growth_is_seen():
    assert soak.growth([100.0] * 144) == 0
    assert soak.growth([100.0 + n / 10 for n in range(144)]) > soak.GROWTH
