"""The two programs of the image that run beside Airflow: the health check by the database, the deletion of old logs."""

import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg2
import pytest

from support.servers.postgres_server import postgres_server

ROOT = Path(__file__).resolve().parents[3]
HOST = socket.gethostname()
DAY_S = 86400


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """The address of a database with the columns of Airflow's table `job` that the check reads, and one alive job."""
    password = f"canary{secrets.token_hex(12)}"
    with postgres_server(tmp_path_factory.mktemp("postgres"), password) as port:
        address = f"postgresql://airflow:{password}@127.0.0.1:{port}/airflow"
        connection = psycopg2.connect(address)
        with connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE job (job_type text, hostname text, state text, latest_heartbeat timestamptz)")
            for row in (
                ("DagProcessorJob", HOST, "running", 5),
                ("TriggererJob", "another-host", "running", 5),
                ("TriggererJob", HOST, "running", 3600),
                ("TriggererJob", HOST, "success", 5),
            ):
                cursor.execute("INSERT INTO job VALUES (%s, %s, %s, now() - make_interval(secs => %s))", row)
        connection.close()
        yield address, password


def checked(job: str, address: str) -> subprocess.CompletedProcess[str]:
    url = address.replace("postgresql://", "postgresql+psycopg2://", 1)
    return subprocess.run(
        [sys.executable, ROOT / "scripts/job_alive.py", job],
        env={**os.environ, "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_job_with_a_fresh_heartbeat_on_this_host_is_alive(database):
    done = checked("DagProcessorJob", database[0])
    assert (done.returncode, done.stderr) == (0, "")


def test_a_job_of_another_host_an_old_heartbeat_and_one_that_has_ended_are_not_alive(database):
    done = checked("TriggererJob", database[0])
    assert done.returncode == 1
    assert done.stderr == f"no TriggererJob of {HOST} has written its heartbeat for 120 s\n"


def test_a_database_that_does_not_answer_is_no_health_and_shows_no_password(database):
    address, password = database
    for wrong in (address + "_absent", address.replace(password, "another")):
        done = checked("DagProcessorJob", wrong)
        assert done.returncode == 1
        assert f"the database does not say whether DagProcessorJob of {HOST} is alive" in done.stderr
        assert "Traceback" not in done.stderr
        assert password not in done.stderr


def test_logs_go_after_the_days_that_are_named_and_empty_folders_a_day_later(tmp_path):
    def made(name: str) -> Path:
        path = tmp_path / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a line")
        return path

    old, young = made("dag_id=a/run_id=old/attempt=1.log"), made("dag_id=a/run_id=young/attempt=1.log")
    begun = tmp_path / "logs/dag_id=a/run_id=begun"
    emptied = tmp_path / "logs/dag_id=a/run_id=emptied"
    for folder in (begun, emptied):
        folder.mkdir()
    for path, days in ((old, 4), (young, 2), (emptied, 3)):
        os.utime(path, (time.time() - days * DAY_S,) * 2)
    clean = ["sh", ROOT / "scripts/clean-logs", "--once"]
    given = {"PATH": os.environ["PATH"], "AIRFLOW_HOME": str(tmp_path)}
    subprocess.run(clean, env=given, check=True)
    assert old.exists(), "fifteen days are kept where nothing else is said"
    assert not emptied.exists()
    subprocess.run(clean, env={**given, "AIRFLOW__LOG_RETENTION_DAYS": "3"}, check=True)
    assert (old.exists(), young.exists(), begun.exists()) == (False, True, True)
