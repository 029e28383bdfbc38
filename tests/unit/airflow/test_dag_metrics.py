"""What the DAGs report of themselves: names, values and tags, as Airflow's metrics get them."""

from types import SimpleNamespace

import pytest

from kafka_fleet.documents.summary import ClusterSummary


class Stats:
    """Keeps what it is told."""

    def __init__(self):
        self.told = []

    def gauge(self, name, value, tags=None):
        self.told.append((name, value, tags or {}))

    def timing(self, name, value, tags=None):
        self.told.append((name, value, tags or {}))

    def incr(self, name, tags=None):
        self.told.append((name, 1, tags or {}))


@pytest.fixture
def metrics(monkeypatch):
    from fleet_airflow import metrics as fleet_metrics

    monkeypatch.setattr(fleet_metrics, "stats", Stats())
    return fleet_metrics


def test_a_sweep(metrics):
    metrics.sweep(SimpleNamespace(cluster="a", outcomes={"ok": 2, "failed": 1}, seconds=1.5))
    assert metrics.stats.told == [
        ("kafka_fleet.sweep.brokers", 2, {"cluster": "a", "outcome": "ok"}),
        ("kafka_fleet.sweep.brokers", 1, {"cluster": "a", "outcome": "failed"}),
        ("kafka_fleet.sweep.duration", 1500.0, {"cluster": "a"}),
    ]


def test_a_day_and_how_late_it_is_judged(metrics):
    metrics.day("2026-01-01", {"a": 144, "b": 0})
    (first, second, (name, late, tags)) = metrics.stats.told
    assert [first[1], second[1]] == [144, 0]
    assert (name, tags) == ("kafka_fleet.day.lateness", {})
    assert late > 86_400


def test_a_day_that_has_not_ended_is_not_late(metrics):
    metrics.day("2999-01-01", {})
    assert metrics.stats.told == [("kafka_fleet.day.lateness", 0.0, {})]


def test_findings_of_the_fleet_and_letters(metrics):
    counts = {"confirmed": 1, "exposed": 2}
    reached = ClusterSummary(environment=None, owners=[], reached=True, problem=None, counts=counts, cells={})
    metrics.published({"a": reached, "b": reached.model_copy(update={"reached": False})})
    metrics.letter("sent")
    assert metrics.stats.told == [
        ("kafka_fleet.findings", 2, {"verdict": "confirmed"}),
        ("kafka_fleet.findings", 4, {"verdict": "exposed"}),
        ("kafka_fleet.not_measured", 1, {}),
        ("kafka_fleet.letters", 1, {"state": "sent"}),
    ]


def test_words_to_the_platforms_owners_late_days_and_what_was_set_aside(metrics):
    metrics.alert("failed")
    metrics.late(True)
    metrics.late(False)
    metrics.set_aside(2)
    metrics.deadline_missed("scheduled")
    assert metrics.stats.told == [
        ("kafka_fleet.alerts", 1, {"reason": "failed"}),
        ("kafka_fleet.late", 1, {}),
        ("kafka_fleet.late", 0, {}),
        ("kafka_fleet.set_aside", 2, {}),
        ("kafka_fleet.deadline_missed", 1, {"run_type": "scheduled"}),
    ]


def test_the_deadline_is_six_hours_after_the_run_was_queued():
    from kafka_fleet.airflow import fleet_health

    (alert,) = fleet_health.deadline
    assert alert.interval.total_seconds() == 6 * 3600
    assert alert.callback.path == "fleet_airflow.deadline.no_letter"
