"""A Prometheus 3, which receives OTLP and adds up increases: built once from its Go modules. Debian has version 2.

FLEET_PROMETHEUS names another program. A build takes a core some minutes and is kept beside the Kafka releases.
"""

import os
import shutil
import tempfile
from pathlib import Path

from fleet_demo.artifacts import default_root, locked
from support.live.packages import said

MODULE, VERSION = "github.com/prometheus/prometheus", "v0.316.0"  # of the Go module; the program calls it 3.16
BUILD_S = 3600.0


def prometheus_3() -> Path | str:
    """The program, or one sentence why there is none."""
    if named := os.environ.get("FLEET_PROMETHEUS"):
        return Path(named)
    folder = default_root().parent / f"prometheus-{VERSION}"
    program = folder / "prometheus"
    if program.exists():
        return program
    if not shutil.which("go"):
        return "Go is not installed, with which Prometheus 3 is built, and FLEET_PROMETHEUS names none"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"), tempfile.TemporaryDirectory(dir=folder) as scratch:
        fault = None if program.exists() else _build(Path(scratch), program)
    return program if fault is None else f"Prometheus {VERSION} cannot be built: {fault}"


def _build(scratch: Path, program: Path) -> str | None:
    """In a module of its own that asks for it. Without service discovery, which is most of what it is made of."""
    made, command = scratch / "prometheus", f"{MODULE}/cmd/prometheus"
    build = ["nice", "-n", "15", "go", "build", "-p", "1", "-tags", "remove_all_sd", "-o", str(made), command]
    for step in (["go", "mod", "init", "built"], ["go", "get", f"{command}@{VERSION}"], build):
        if fault := said(step, BUILD_S, scratch):
            return fault
    made.rename(program)
    return None
