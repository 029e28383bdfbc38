"""An agent that is another broker's than the one asked: one clear sentence, and nothing of it is stored."""

from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.collect import sweep
from support.builders.swept_clusters import NO_ADMIN, cluster, run
from support.servers.jolokia_simulator import Agent, agent

APP_INFO = "kafka.server:type=app-info,id=*"


@pytest.fixture(autouse=True)
def without_the_kafka_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "sweep_admin", lambda *_: NO_ADMIN)


def of(broker: int | str) -> Agent:
    """An agent inside of a broker."""
    made = Agent()

    def named(mbean: str, answer: dict[str, Any]) -> dict[str, Any]:
        if mbean == APP_INFO:
            (values,) = answer["value"].values()
            answer["value"] = {f"kafka.server:id={broker},type=app-info": values}
        return answer

    made.entry = named
    return made


def test_exchanged_urls_are_told_and_their_values_are_not_stored(tmp_path: Path) -> None:
    with agent(of(2)) as first, agent(of(1)) as second, agent(of(3)) as third:
        result, rows = run(tmp_path, cluster({"brokers": {1: first.url, 2: second.url, 3: third.url}}))
    assert [(b, outcome, kind) for b, outcome, kind, _detail in result.brokers] == [
        (1, "failed", "other_broker"),
        (2, "failed", "other_broker"),
        (3, "ok", None),
    ]
    assert rows("brokers")[0]["detail"] == (
        "the agent at its URL is that of broker 2, so nothing read there is stored: URLs are exchanged in the fleet "
        "file, or one URL (a load balancer) leads to several brokers"
    )
    assert {row["broker"] for row in rows("broker_metrics")} == {3}
    assert {row["broker"] for row in rows("partitions")} == {3}


def test_a_load_balancer_in_front_of_several_brokers_gives_the_one_that_answered_only(tmp_path: Path) -> None:
    with agent(of(2)) as balancer:
        result, rows = run(tmp_path, cluster({"brokers": {b: f"{balancer.url}/{b}" for b in (1, 2, 3)}}))
    assert [kind for _b, _outcome, kind, _detail in result.brokers] == ["other_broker", None, "other_broker"]
    assert {row["broker"] for row in rows("partitions")} == {2}


@pytest.mark.parametrize("name", ["sample", "", "1\u0661", "99999999999999"])
def test_an_agent_that_does_not_say_whose_it_is_is_believed(tmp_path: Path, name: str) -> None:
    with agent(of(name)) as one:
        result, _rows = run(tmp_path, cluster({"brokers": {1: one.url}}))
    assert [outcome for _b, outcome, _kind, _detail in result.brokers] == ["ok"]
