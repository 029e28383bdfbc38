"""A Prometheus 3, which receives OTLP and adds up increases: built once from its Go modules. Debian has version 2.

FLEET_PROMETHEUS names another program.
"""

from pathlib import Path

from support.live.go_programs import BUILD_S, go_program
from support.live.packages import said

MODULE, VERSION = "github.com/prometheus/prometheus", "v0.316.0"  # of the Go module; the program calls it 3.16


def prometheus_3() -> Path | str:
    """The program, or one sentence why there is none."""
    return go_program("Prometheus", VERSION, _build)


def _build(scratch: Path, made: Path) -> str | None:
    """In a module of its own that asks for it. Without service discovery, which is most of what it is made of."""
    command = f"{MODULE}/cmd/prometheus"
    build = ["nice", "-n", "15", "go", "build", "-p", "1", "-tags", "remove_all_sd", "-o", str(made), command]
    for step in (["go", "mod", "init", "built"], ["go", "get", f"{command}@{VERSION}"], build):
        if fault := said(step, BUILD_S, scratch):
            return fault
    return None
