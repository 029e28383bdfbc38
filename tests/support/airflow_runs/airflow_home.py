"""An Airflow of a test's own: takes a folder and a stored home, runs commands, single runs and `airflow standalone`."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import yaml

from fleet_demo.airflow_run import Airflow
from support.spark_runs.network_hosts import Host

WAITS = {  # of a second where Airflow's own are five and more; what is waited for stays the same
    "AIRFLOW__SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
    "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.5",
    "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "600",
    "AIRFLOW__CORE__PARALLELISM": "3",
    "KAFKA_FLEET_RETRY_SECONDS": "1",
}
_LOCAL_SPARK = {"AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[2]"})}


class Run(NamedTuple):
    """One row of the metadata table dag_run; the day is the date of its logical date."""

    run_id: str
    run_type: str
    state: str
    day: str
    backfill: int | None


class Listener(NamedTuple):
    """A TCP socket that waits for connections: who has it, and where."""

    program: str
    address: str


class AirflowHome:
    """One AIRFLOW_HOME on SQLite with the demo's settings, below `folder`; the stored days are in `home`."""

    def __init__(self, folder: Path, fleet: dict[str, Any], smtp_port: int = 9) -> None:
        self.home, self.fleet_file = folder / "home", folder / "fleet.yaml"
        self.fleet_file.write_text(yaml.safe_dump(fleet))
        self.demo = Airflow(folder / "airflow", self.home, self.fleet_file, smtp_port)
        self.api_port = self.demo.api_port
        self.environment = {**self.demo.environment, **WAITS, **_LOCAL_SPARK}
        self.host = Host()  # where its commands run
        self.run("db", "migrate")

    def run(self, *words: str) -> str:
        """Output of one airflow command, which has to succeed."""
        done = self._command(*words)
        assert done.returncode == 0, f"airflow {' '.join(words)}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def _command(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = self.host.runs([sys.executable, "-m", "airflow", *words])
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=1200, check=False)

    def dag_test(self, dag: str, day: str, **conf: Any) -> tuple[dict[tuple[str, str | None], str], str]:
        """`airflow dags test`: the states by (task, label of the mapped one), and everything that was printed."""
        done = self._command("dags", "test", dag, day, "--conf", json.dumps(conf))
        (run,) = self.runs(dag, day)
        assert (run.state == "success") == (done.returncode == 0), done.stdout[-6000:] + done.stderr[-3000:]
        return self.states(run.run_id), done.stdout + done.stderr

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        uri = f"file:{self.demo.folder}/airflow.db?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=30)) as database:
            return database.execute(query, values).fetchall()

    def knows(self, dag: str) -> bool:
        """Whether the DAG was read and stored."""
        return self._rows("SELECT count(*) FROM serialized_dag WHERE dag_id = ?", dag) != [(0,)]

    def runs(self, dag: str, day: str | None = None) -> list[Run]:
        """Runs of a DAG in the order in which they were queued, of one day or of all."""
        columns = "run_id, run_type, state, substr(CAST(logical_date AS TEXT), 1, 10), backfill_id"
        rows = self._rows(f"SELECT {columns} FROM dag_run WHERE dag_id = ? ORDER BY id", dag)  # noqa: S608
        return [run for run in (Run(*row) for row in rows) if day in (None, run.day)]

    @property
    def passwords(self) -> dict[str, str]:
        """Of the users of the UI."""
        found: dict[str, str] = json.loads(
            (self.demo.folder / "simple_auth_manager_passwords.json.generated").read_text()
        )
        return found

    def states(self, run_id: str) -> dict[tuple[str, str | None], str]:
        """Last state of every task of a run, by (task, label of the mapped one)."""
        query = "SELECT task_id, rendered_map_index, state FROM task_instance WHERE run_id = ?"
        return {(task, label): state for task, label, state in self._rows(query, run_id)}

    def tries(self, run_id: str, task: str) -> int:
        """How often a task of a run that is not mapped was begun, also before the run was cleared."""
        query = "SELECT max(try_number) FROM task_instance WHERE run_id = ? AND task_id = ?"
        return int(self._rows(query, run_id, task)[0][0])

    def asset_events(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Events of assets in their order: the task that made it, the asset's URI, the extra."""
        events = "asset_event AS e JOIN asset AS a ON a.id = e.asset_id"
        rows = self._rows(f"SELECT e.source_task_id, a.uri, e.extra FROM {events} ORDER BY e.id")  # noqa: S608
        return [(task, uri, json.loads(extra)) for task, uri, extra in rows]

    def answers(self) -> bool:
        """Whether the API server takes connections."""
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", self.api_port)) == 0

    @contextmanager
    def standalone(self) -> Iterator["Standalone"]:
        """`airflow standalone` for the length of the block; nothing of it is left behind."""
        command, log = [sys.executable, "-m", "airflow", "standalone"], self.demo.folder / "standalone.log"
        with guarded(command, self.environment, log) as running:
            running.wait(self.answers, "the API server")  # a task that starts before it is up fails
            yield running

    def backfill(self, *words: str) -> int:
        """`airflow backfill create`; gives its number."""
        self.run("backfill", "create", *words)
        return int(self._rows("SELECT max(id) FROM backfill")[0][0])

    def has_no_open_backfill(self) -> bool:
        """Whether another backfill may begin: the scheduler closes one up to half a minute after its last run."""
        return self._rows("SELECT count(*) FROM backfill WHERE completed_at IS NULL") == [(0,)]


def members(session: int) -> list[psutil.Process]:
    """Every process of a session that has not ended."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue  # ended meanwhile
    return found


class Standalone:
    """A running `airflow standalone`, known by its session: its parts make process groups of their own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.listeners: set[Listener] = set()

    def members(self) -> list[psutil.Process]:
        """Every process of it that has not ended."""
        return members(self.process.pid)

    def note_listeners(self) -> None:
        """Add the sockets that wait for connections now."""
        for process in self.members():
            try:
                sockets = [s for s in process.net_connections("tcp") if s.status == psutil.CONN_LISTEN]
                self.listeners |= {Listener(" ".join(process.cmdline())[:90], s.laddr.ip) for s in sockets}
            except psutil.NoSuchProcess:
                continue

    def wait(self, done: Callable[[], bool], what: str, seconds: float = 1800) -> float:
        """Look once a second until `done`; gives the seconds it took. Notes now and then what listens meanwhile."""
        begin, looks = time.monotonic(), 0
        while not done():
            assert self.process.poll() is None, "airflow standalone has ended"
            assert time.monotonic() - begin < seconds, f"{what}: not after {seconds:.0f} s"
            if looks % 5 == 0:  # it reads all processes of the machine
                self.note_listeners()
            looks += 1
            time.sleep(1)
        self.note_listeners()
        return time.monotonic() - begin

    def stop(self) -> None:
        """Ask every process of it to end, and kill those that have not done so within 20 s."""
        for process in self.members():
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        gone_by = time.monotonic() + 20
        while self.members() and time.monotonic() < gone_by:
            time.sleep(0.2)
        for process in self.members():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait(20)


@contextmanager
def guarded(command: list[str], environment: dict[str, str], log: Path) -> Iterator[Standalone]:
    """A command in a session of its own, all of which ends with the block, or with this program at the latest."""
    with log.open("ab") as out:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    guard = [sys.executable, __file__, str(process.pid)]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(guard, stdin=subprocess.PIPE, env=found, start_new_session=True) as watching:
        running = Standalone(process)
        try:
            yield running
        finally:
            running.stop()
            watching.communicate()


if __name__ == "__main__":  # the guard: when the test's end of the pipe closes, however it ends, the session ends too
    sys.stdin.read()
    for left_over in members(int(sys.argv[1])):
        left_over.kill()
