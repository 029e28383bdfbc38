"""`python -m benchmarks.compose`: docker-compose.yml with its profile `demo`, on a real engine, up to two letters.

Builds the images, starts every service in a copy of the checkout with secrets of its own, measures the two demo
clusters twice, judges the day, and reads both letters from the mail catcher: KAFKA-14334 must be confirmed for the
release that has it, and not affected for the release that has the fix. Prints seconds, sizes and memory; ends with 1
and a sentence when anything is not so. Everything is removed at the end, volumes too.

Needs Docker with Compose, or Podman's socket as DOCKER_HOST, and the ports 8080 and 8025 of loopback. `--stand-ins`
makes the base images from the distribution's packages first, where no registry of images can be reached
(scripts/stand-in-images).
"""

import argparse
import base64
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measure import figure, gate, machine
from kafka_fleet.store.home import Home

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "kafka-fleet-proof"
VARIABLES = ("POSTGRES_PASSWORD", "AIRFLOW_ADMIN_PASSWORD", "AIRFLOW_JWT_SECRET", "AIRFLOW_SECRET_KEY", "SPARK_SECRET")
EXPECTED = {"kafka-buggy": "confirmed", "kafka-fixed": "not_affected"}
NEWS = {"kafka-buggy": "(KAFKA-14334)", "kafka-fixed": ""}
HOME = "/var/lib/kafka-fleet"
WAIT_S = 1800  # for any one step; what takes longer hangs
RUN = "proof"
# what a health check costs, in CPU seconds: that of the compose file, and the one of Airflow's manual
CHECKS = {
    "scripts/job_alive.py": ["python", "/opt/kafka-fleet/scripts/job_alive.py", "DagProcessorJob"],
    "airflow jobs check": ["airflow", "jobs", "check", "--job-type", "DagProcessorJob", "--local"],
}
_COST = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
spent = resource.getrusage(resource.RUSAGE_CHILDREN)
print(spent.ru_utime + spent.ru_stime)
"""


class Broken(RuntimeError):
    """Something is not as it must be; one sentence."""


class Stack:
    """The compose project in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.most: dict[str, tuple[float, int]] = {}  # by service: MB of memory and processes, the most of either

    def compose(self, *words: str, timeout: float = WAIT_S) -> str:
        """Run docker compose; gives what it printed. Raises Broken with its last lines."""
        command = ["docker", "compose", "--project-name", PROJECT, "--profile", "demo", *words]
        try:
            done = subprocess.run(
                command, cwd=self.folder, capture_output=True, text=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            raise Broken(f"docker compose {words[0]} did not end within {timeout:g} s") from None
        if done.returncode != 0:
            raise Broken(f"docker compose {words[0]} ended with {done.returncode}: {done.stderr.strip()[-1500:]}")
        return done.stdout

    def airflow(self, *words: str, service: str = "airflow-scheduler") -> str:
        """Run a program in a container, the scheduler's if no other is named."""
        return self.compose("exec", "--no-TTY", service, *words)

    def look(self) -> None:
        """Note memory and processes (threads count) of every container."""
        ids = self.compose("ps", "--quiet").split()
        shown = ["docker", "stats", "--no-stream", "--format", "{{.Name}} {{.MemUsage}} {{.PIDs}}", *ids]
        for line in subprocess.check_output(shown, text=True).splitlines():
            name, used, *_, processes = line.split()
            found = re.fullmatch(r"([\d.]+)(Ki|Mi|Gi)?B", used)
            # of Podman's names the client cuts a letter off, where Docker's have a slash
            service = name.removeprefix(f"{PROJECT}-").removeprefix(f"{PROJECT[1:]}-").rpartition("-")[0]
            if found and processes.isdecimal():
                mb = float(found[1]) * {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}.get(found[2] or "", 1) / 1e6
                before = self.most.get(service, (0.0, 0))
                self.most[service] = (max(before[0], mb), max(before[1], int(processes)))

    def json(self, *words: str) -> Any:
        """What a command of Airflow's prints as JSON, whatever it logs before."""
        printed = self.airflow(*words, "--output", "json").splitlines()
        return json.loads(next(line for line in reversed(printed) if line.startswith(("[{", "[]"))))


def make_folder(folder: Path, stand_ins: bool) -> None:
    """A copy of the tracked files, a fleet file and secrets. Stand-ins have base images' names, not their digests."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    for path in (folder / "Dockerfile", folder / "docker-compose.yml") if stand_ins else ():
        path.write_text(re.sub(r"@sha256:\w{64}", "", path.read_text()))
    shutil.copy2(ROOT / "demo/compose-fleet.yaml", folder / "fleet.yaml")
    given = {name: secrets.token_hex(32) for name in VARIABLES}
    given["AIRFLOW_FERNET_KEY"] = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    path = folder / ".env"
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}={value}\n" for name, value in given.items()))


@contextmanager
def timed(words: str) -> Iterator[None]:
    """Print how long the block took."""
    began = time.monotonic()
    yield
    figure(words, f"{time.monotonic() - began:.0f} s")


def until(stack: Stack, words: str, known: Callable[[], bool]) -> None:
    """Wait until something holds, looking at the containers meanwhile. Raises Broken after WAIT_S."""
    end = time.monotonic() + WAIT_S
    while not known():
        stack.look()
        if time.monotonic() > end:
            raise Broken(f"{words}: not so after {WAIT_S} s")
        time.sleep(5)


def sweeps(stack: Stack, ds: str) -> dict[str, int]:
    """Stored sweeps of the day by cluster."""
    found = stack.airflow("find", HOME, "-path", f"{Home(Path(HOME)).manifests(ds)}/*.json").split()
    names = [Path(path).name.partition(".")[0] for path in found]
    return {cluster: names.count(cluster) for cluster in EXPECTED}


def ended(stack: Stack, dag: str, run: str) -> bool:
    """Whether a run succeeded. Raises Broken when it failed, with the states of its tasks."""
    state = next(one["state"] for one in stack.json("airflow", "dags", "list-runs", dag) if one["run_id"] == run)
    if state == "failed":
        tasks = stack.json("airflow", "tasks", "states-for-dag-run", dag, run)
        raise Broken(f"the run of {dag} failed: {[(one['task_id'], one['state']) for one in tasks]}")
    return bool(state == "success")


def letters() -> list[tuple[str, str]]:
    """Every mail in the catcher: the cluster whose owner got it, and its subject with its text."""

    def read(path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:8025/api/v1/{path}", timeout=20) as answer:
            return json.load(answer)

    found = []
    for one in read("messages")["messages"]:
        to = ", ".join(person["Address"] for person in one["To"]).removesuffix("-oncall@example.org")
        found.append((to, one["Subject"] + "\n" + read(f"message/{one['ID']}")["Text"]))
    return sorted(found)


def costs(stack: Stack) -> None:
    """Print the images' sizes, the most that each container had of memory and processes, and the health checks' CPU."""
    for name in ("kafka-fleet-health:0.1.0", "kafka-fleet-demo:3.3.1"):
        size = subprocess.check_output(["docker", "image", "inspect", "--format", "{{.Size}}", name], text=True)
        figure(f"image {name}", f"{int(size) / 1e9:.2f} GB")
    for service, (mb, processes) in sorted(stack.most.items()):
        figure(f"most of {service}", f"{mb:.0f} MB, {processes} processes and threads")
    for words, command in CHECKS.items():
        spent = float(stack.airflow("python", "-c", _COST, *command, service="airflow-dag-processor").split()[-1])
        figure(f"CPU of {words}", f"{spent:.2f} s")


def prove(stack: Stack) -> bool:
    """All of it. Gives whether the gates hold; raises Broken."""
    with timed("images built"):
        stack.compose("build", timeout=3600)
    with timed("every service started and healthy"):
        stack.compose("up", "--detach", "--wait", "--wait-timeout", str(WAIT_S))
    ds = datetime.now(UTC).date().isoformat()
    with timed("two sweeps of both clusters"):
        stack.airflow("airflow", "dags", "unpause", "--yes", "fleet_collect")
        for number in (1, 2):
            stack.airflow("airflow", "dags", "trigger", "fleet_collect", "--run-id", f"{RUN}-{number}")
        until(stack, "two sweeps of both clusters are stored", lambda: min(sweeps(stack, ds).values()) >= 2)
    with timed("the day judged and mailed"):
        asked = json.dumps({"ds": ds, "notify": "always"})
        stack.airflow("airflow", "dags", "unpause", "--yes", "fleet_health")
        stack.airflow("airflow", "dags", "trigger", "fleet_health", "--run-id", RUN, "--conf", asked)
        until(stack, "the run of fleet_health has ended", lambda: ended(stack, "fleet_health", RUN))
    for one in stack.json("airflow", "tasks", "states-for-dag-run", "fleet_health", RUN):
        if one["task_id"] in ("analyze", "mail"):
            took = datetime.fromisoformat(one["end_date"]) - datetime.fromisoformat(one["start_date"])
            figure(f"task {one['task_id']}", f"{took.total_seconds():.0f} s")
    printed = stack.airflow("kafka-fleet", "findings", "--home", HOME, "--date", ds, "--format", "json")
    verdicts = {one["cluster"]: one["verdict"] for one in json.loads(printed) if one["advisory"] == "KAFKA-14334"}
    got = letters()
    for cluster, text in got:
        figure(f"letter of {cluster}", f"{text.splitlines()[0]} (KAFKA-14334 is {verdicts.get(cluster)})")
    costs(stack)
    wrong = sum(verdicts.get(cluster) != verdict for cluster, verdict in EXPECTED.items())
    told = [cluster for cluster, _ in got]
    named = {cluster for cluster, text in got if "KAFKA-14334" in text}
    subjects = {cluster: text.splitlines()[0] for cluster, text in got}
    news = {one for one, subject in subjects.items() if subject.startswith(f"{one}: ") and NEWS[one] in subject}
    states = [json.loads(line) for line in stack.compose("ps", "--format", "json").splitlines()]
    sick = [one["Service"] for one in states if one["Health"] != "healthy"]
    held = [
        gate("clusters with another verdict on KAFKA-14334", wrong, 0),
        gate("owners with other than one letter", sum(told.count(one) != 1 for one in {*told, *EXPECTED}), 0),
        gate("letters that name KAFKA-14334 and must not, or must and do not", len({"kafka-buggy"} ^ named), 0),
        gate("subjects that are not the news", len(EXPECTED.keys() - news), 0),
        gate(f"services that are not healthy at the end {' '.join(sick)}".strip(), len(sick), 0),
    ]
    return all(held)


def main(arguments: list[str]) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="benchmarks.compose")
    parser.add_argument("--stand-ins", action="store_true", help="make the base images, for want of a registry")
    options = parser.parse_args(arguments)
    print(machine())
    if options.stand_ins:
        subprocess.run([ROOT / "scripts/stand-in-images"], check=True)
    with tempfile.TemporaryDirectory(prefix="compose-", dir=os.environ.get("TMPDIR")) as name:
        stack = Stack(Path(name))
        make_folder(stack.folder, options.stand_ins)
        try:
            return int(not prove(stack))
        except Broken as error:
            print(f"compose: {error}", file=sys.stderr)
            for line in stack.compose("logs", "--tail", "30").splitlines():
                print(line, file=sys.stderr)
            return 1
        finally:
            stack.compose("down", "--volumes", "--timeout", "30")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
