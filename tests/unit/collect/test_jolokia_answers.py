"""A bulk answer as a whole: refused by status or by one object, of other reads, with keys twice, of other agents."""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from support.builders.broker_sweeps import LOG_END, STATE, failed, sweep
from support.servers.jolokia_simulator import START_MS, Agent, agent, answer


@pytest.fixture
def broker():
    with agent(Agent()) as one:
        yield one


@pytest.mark.fault(18)
def test_one_bad_name_costs_only_itself(broker):
    def spoiled(answers: list[Any]) -> Any:
        asked = [read["mbean"] for read in broker.seen[-1][2]]
        return {"status": 400, "error": "MalformedObjectName"} if STATE in asked else answers

    broker.body = spoiled
    found = sweep(broker)
    assert (found.outcome, found.detail) == ("partial", f"{STATE}: Jolokia status 400")
    row = found.rows.by_table["broker_metrics"][()]
    assert "broker_state" not in row
    assert len(row) > 50
    assert len(broker.seen) < 20


@pytest.mark.fault(18)
@pytest.mark.parametrize("body", [{"status": 500, "error": "x"}, {"ok": True}, "text", 7, None, [], [[], []]])
def test_an_agent_that_never_answers_the_bulk_is_failed_and_soon_left_alone(broker, body):
    broker.body = lambda answers: body
    failed(broker, "protocol")
    assert len(broker.seen) <= 42


@pytest.mark.fault(19)
def test_an_agent_that_refuses_a_bulk_with_status_400_comes_to_the_same(broker):
    """Agents up to 2.2 answer a bad request with HTTP 200 and one object, later ones with HTTP 400."""

    def refusing(handler: BaseHTTPRequestHandler) -> None:
        asked = broker.seen[-1][2]
        if STATE in [read["mbean"] for read in asked]:
            answer(handler, b'{"error": "canary"}', 400)
        else:
            handler.serve_answers(asked)

    def one_object(answers: list[Any]) -> Any:
        asked = [read["mbean"] for read in broker.seen[-1][2]]
        return {"status": 400, "error": "canary"} if STATE in asked else answers

    broker.wire = refusing
    by_status, asked = sweep(broker), len(broker.seen)
    broker.wire, broker.body = None, one_object
    by_object = sweep(broker)
    assert (by_status.outcome, by_status.detail) == ("partial", f"{STATE}: Jolokia status 400")
    assert by_status.rows.by_table == by_object.rows.by_table
    assert (by_status.outcome, by_status.kind, by_status.detail) == by_object[:3]
    assert len(broker.seen) == 2 * asked


@pytest.mark.fault(19)
def test_an_agent_that_refuses_everything_is_failed_either_way(broker):
    broker.wire = lambda handler: answer(handler, b"canary", 400)
    by_status, asked = failed(broker, "protocol"), len(broker.seen)
    broker.wire, broker.body = None, lambda answers: {"status": 400, "error": "canary"}
    assert failed(broker, "protocol").detail == by_status.detail
    assert len(broker.seen) == 2 * asked


@pytest.mark.fault(24)
@pytest.mark.parametrize(
    "change",
    [
        lambda a: a[:-1],
        lambda a: [*a, a[0]],
        lambda a: [None, *a[1:]],
        lambda a: a[::-1],
        lambda a: [a[1], a[0], *a[2:]],
        lambda a: [a[0]] * len(a),
    ],
    ids=["fewer", "more", "foreign", "reversed", "the first two swapped", "the first for all"],
)
def test_fewer_more_or_foreign_answers(broker, change):
    broker.body = change
    failed(broker, "protocol")


@pytest.mark.fault(24)
def test_an_mbean_that_was_not_asked_for_is_counted_and_gives_no_number(broker):
    stranger = {"kafka.log:name=Size,type=Log,topic=orders,partition=9": {"Value": 12}}
    broker.entry = lambda mbean, given: {**given, "value": given["value"] | stranger} if mbean == LOG_END else given
    found = sweep(broker)
    assert (found.outcome, found.rows.unusable) == ("partial", 1)
    assert ("orders", 9) not in found.rows.by_table["partitions"]


@pytest.mark.fault(26)
def test_a_name_that_is_there_twice_has_no_value_and_is_counted(broker):
    name = LOG_END.replace("topic=*,partition=*", "topic=orders,partition={}")

    def twice(handler: BaseHTTPRequestHandler) -> None:
        text = json.dumps([broker.answer(read) for read in broker.seen[-1][2]])
        if len(broker.seen) == 1:
            for old, new in (
                (f'"{name.format(3)}": {{"Value": 7}}', f'"{name.format(3)}": {{"Value": 41, "Value": 42}}'),
                (f'"{name.format(2)}": {{"Value": 7}}', ", ".join([f'"{name.format(2)}": {{"Value": 7}}'] * 2)),
            ):
                assert text.count(old) == 1
                text = text.replace(old, new)
        answer(handler, text.encode())

    broker.wire = twice
    found = sweep(broker)
    rows = found.rows.by_table["partitions"]
    assert [rows[("orders", number)].get("log_end_offset") for number in (2, 3)] == [None, None]
    assert (found.outcome, found.detail) == ("partial", "2 values were not usable")


@pytest.mark.fault(29)
@pytest.mark.parametrize("missing", [None, "ERROR: javax.management.AttributeNotFoundException: No such attribute"])
@pytest.mark.parametrize("more", [{}, {"request": {"mbean": "x"}, "faultCount": 0}, {"history": [1], "stacktrace": ""}])
def test_answers_of_other_agents_are_read_alike(broker, missing, more):
    """An attribute that the broker lacks is left out or told as a fault; entries may echo the request."""
    plain = sweep(broker)

    def old(mbean: str, given: dict[str, Any]) -> dict[str, Any]:
        if "app-info" in mbean:
            for one in given["value"].values():
                del one["StartTimeMs"]
                one |= {} if missing is None else {"StartTimeMs": missing}
        return {**more, **given}

    broker.entry = old
    found = sweep(broker)
    assert (found.outcome, found.detail, found.missing) == ("ok", None, [])
    row = dict(plain.rows.by_table["broker_metrics"][()])
    assert row.pop("app_start_ms") == START_MS
    assert found.rows.by_table["broker_metrics"][()] == row
    assert found.rows.by_table["partitions"] == plain.rows.by_table["partitions"]


@pytest.mark.fault(12)
def test_a_status_of_the_agent_itself(broker):
    broker.body = lambda answers: {"status": 403, "error": "canary"}
    assert failed(broker, "auth").detail == "Jolokia status 403"
    assert len(broker.seen) == 1


@pytest.mark.fault(57)
def test_deeply_nested_and_huge_numbers_are_one_failure(broker):
    broker.wire = lambda handler: answer(handler, b"[" * 100_000)
    failed(broker, "cut_off")
    broker.wire = lambda handler: answer(handler, b"[" + b"9" * 100_000 + b"]")
    failed(broker, "not_json")
