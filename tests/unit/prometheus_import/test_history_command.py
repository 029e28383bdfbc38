"""`kafka-fleet import` as a user meets it: exit codes, one sentence per mistake, one cluster's failure its own."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli import main as cli
from kafka_fleet.cli.prometheus import imported_days
from support.servers.recorded_prometheus import STEP_S, Recorded, payments, recorded

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    monkeypatch.setattr("kafka_fleet.collect.connections.query_api.PAUSE_S", 0.0)
    with recorded() as found:
        yield found


@pytest.fixture
def call(server: Recorded, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Call:
    def run(*more: str, ids: tuple[str, ...] = ("payments-eu",), mapping: dict[str, Any] | None = None, **options: str):
        fleet, choice = tmp_path / "fleet.yaml", tmp_path / "map.yaml"
        entries = [json.loads(payments(name).declaration()) for name in ids]
        fleet.write_text(yaml.safe_dump({"version": 1, "clusters": entries}))
        choice.write_text(yaml.safe_dump(mapping or {"clusters": {"payments-eu": {"selector": 'job="kafka"'}}}))
        day = server.day.isoformat()
        given = {"fleet": str(fleet), "home": str(tmp_path / "home"), "prometheus": server.url, "from": day, "to": day}
        given |= {"step": "30s", "map": str(choice), **options}
        arguments = [part for name, value in given.items() for part in (f"--{name}", value)]
        try:
            code = cli.main(["import", *arguments, *more])
        except SystemExit as error:  # argparse's own refusals
            code = int(error.code or 0)
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run


def test_a_day_is_imported_and_said_in_a_line(call: Call, server: Recorded) -> None:
    code, out, err = call()
    assert (code, err) == (0, "")
    rest = 86_400 // STEP_S - server.sweeps
    assert out == (
        f"payments-eu: {server.sweeps} sweeps imported, 0 were there, {rest} without samples, 0 not answered\n"
    )
    code, out, _err = call()
    assert code == 0
    assert out.startswith(f"payments-eu: 0 sweeps imported, {server.sweeps} were there, ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prometheus": "ftp://example.org"}, "--prometheus must begin with http:// or https://"),
        ({"prometheus": "http://reader:canary@example.org"}, "--prometheus must not carry a user or password"),
        ({"prometheus": "http://169.254.169.254"}, "--prometheus link-local addresses"),
        ({"from": "2026-01-02", "to": "2026-01-01"}, "--from 2026-01-02 is after --to 2026-01-01"),
        ({"from": "yesterday"}, "yesterday"),
        ({"step": "7m"}, "'7m' is no step"),
        ({"step": "0s"}, "'0s' is no step"),
        ({"cluster": "nobody"}, "no valid cluster nobody in the fleet file"),
        ({"map": "/nonexistent.yaml"}, "/nonexistent.yaml: cannot be read"),
        ({"connection": "prometheus_main"}, "connection prometheus_main: neither"),
    ],
)
def test_bad_input_is_one_sentence(call: Call, options: dict[str, str], said: str) -> None:
    code, out, err = call(**options)
    assert (code, out) == (2, "")
    assert said in err.splitlines()[-1]
    assert "canary" not in err


def test_a_day_that_has_not_begun_is_refused(call: Call) -> None:
    today = date(2026, 11, 20)
    assert imported_days("2026-11-20", "2026-11-20", today) == [today]
    with pytest.raises(UsageError, match="2026-11-21 has not begun"):
        imported_days("2026-11-20", "2026-11-21", today)
    soon = (datetime.now(UTC).date() + timedelta(days=2)).isoformat()  # also where midnight passes meanwhile
    code, out, err = call(to=soon)
    assert (code, out) == (2, "")
    assert f"{soon} has not begun" in err.splitlines()[-1]


def test_a_map_for_a_cluster_that_is_none_is_a_mistake(call: Call) -> None:
    code, _out, err = call(mapping={"clusters": {"payments": {}}})
    assert (code, len(err.splitlines())) == (2, 1)
    assert "map.yaml: clusters: no valid cluster payments in the fleet file" in err


def test_a_server_that_is_no_prometheus_or_none_is_a_failure(call: Call, server: Recorded) -> None:
    code, _out, err = call(prometheus="http://127.0.0.1:1")
    assert (code, err) == (1, "kafka-fleet: import: http://127.0.0.1:1: unreachable: connection refused\n")
    server.change = lambda path, form, body: b"<html>"
    code, _out, err = call()
    assert (code, len(err.splitlines())) == (1, 1)
    assert "not_json: the answer is not JSON; is this a Prometheus?" in err


def test_one_cluster_that_fails_does_not_cost_another(call: Call, server: Recorded) -> None:
    mapping = {"clusters": {"payments-eu": {"selector": 'job="kafka"'}, "billing": {"selector": 'job="broken"'}}}
    server.status = lambda path, form: 422 if "broken" in form.get("match[]", "") else 200
    code, out, _err = call(ids=("billing", "payments-eu"), mapping=mapping)
    assert code == 0
    assert "billing: 0 sweeps imported" in out
    assert f"billing: {server.day}: http: HTTP 422" in out
    assert f"payments-eu: {server.sweeps} sweeps imported" in out
    code, out, _err = call("--cluster", "billing", ids=("billing", "payments-eu"), mapping=mapping)
    assert code == 1  # nothing at all was had


def test_credentials_are_named_and_reach_no_file(
    call: Call, server: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_PROMETHEUS_MAIN", '{"login": "reader", "password": "canary"}')
    mapping = {"connection": "prometheus_main", "clusters": {"payments-eu": {"selector": 'job="kafka"'}}}
    assert call(mapping=mapping)[0] == 0
    assert all(headers["Authorization"].startswith("Basic ") for _path, _form, headers in server.asked)
    assert not [p for p in (tmp_path / "home").rglob("*") if p.is_file() and b"canary" in p.read_bytes()]
