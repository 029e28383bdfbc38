"""The compose file's service `watch` as a process: who hears of letters that are late, and when it is healthy."""

import json
import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from fleet_demo.processes import end, spawn, tail
from kafka_fleet.store.raw.landing import land
from support.compose import compose_file
from support.servers.mail_server import mail_server

PLATFORM = "platform@example.org"
LATE = "no sweep of that day is stored"


@pytest.fixture
def home(tmp_path):
    """Swept once, long ago: its letters are late every day."""
    land(tmp_path / "home", "a", datetime.fromisoformat("2025-11-19T01:00:00Z"), {"sweeps": [{"admin_outcome": "ok"}]})
    return tmp_path / "home"


def watched(home: Path, owners: str, port: int, until: str) -> tuple[bool, str]:
    """Run the service's command until it prints `until`; whether it is healthy a while after, and all it printed."""
    given = dict.fromkeys(compose_file.variables(), "given") | {"KAFKA_FLEET_PLATFORM_OWNERS": owners}
    service = compose_file.load(given)["services"]["watch"]
    told, log = home.parent / "told", home.parent / "watch.log"
    mail = json.loads(service["environment"]["AIRFLOW_CONN_SMTP_DEFAULT"]) | {"host": "127.0.0.1", "port": port}
    own = {**service["environment"], "AIRFLOW_CONN_SMTP_DEFAULT": json.dumps(mail), "KAFKA_FLEET_HOME": str(home)}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "HOME") if name in os.environ}
    command = [word.replace("/tmp/told", str(told)) for word in service["command"]]
    process = spawn(["env", "-i", f"PATH={path}", *(f"{k}={v}" for k, v in {**kept, **own}.items()), *command], log)
    try:
        begin = time.monotonic()
        while not (until in tail(log) and _idle(process.pid)):
            assert process.poll() is None, tail(log)
            assert time.monotonic() - begin < 300, tail(log)
            time.sleep(0.2)
        kind, words = service["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        check = ["sh", "-c", words.replace("/tmp/told", str(told))]
        return subprocess.run(check, check=False, stderr=subprocess.DEVNULL).returncode == 0, tail(log)
    finally:
        end(process)


def _idle(pid: int) -> bool:
    """Whether the loop has come to its pause."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    names = [Path(f"/proc/{child}/comm").read_text().strip() for child in children]
    return names == ["sleep"]


def test_the_platforms_owners_hear_of_late_letters_though_no_airflow_runs(home, box):
    with mail_server(box) as port:
        healthy, said = watched(home, PLATFORM, port, LATE)
    assert healthy, said
    assert box.recipients == [PLATFORM]


def test_without_owners_to_tell_the_service_gets_unhealthy(home, box):
    with mail_server(box) as port:
        healthy, said = watched(home, "", port, LATE)
    assert not healthy, said
    assert box.recipients == []


def test_where_nothing_is_late_it_is_healthy_and_mails_nobody(tmp_path, box):
    with mail_server(box) as port:
        healthy, said = watched(tmp_path / "home", PLATFORM, port, "nothing is late")
    assert healthy, said
    assert box.recipients == []
