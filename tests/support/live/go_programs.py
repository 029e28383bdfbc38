"""Programs that are built once from their Go modules: takes how to build one, gives the program or why there is none.

A build takes a core some minutes and is kept beside the Kafka releases.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from fleet_demo.artifacts import default_root, locked

BUILD_S = 3600.0


def go_program(called: str, version: str, build: Callable[[Path, Path], str | None]) -> Path | str:
    """The program, or one sentence why there is none. FLEET_<its name> names another.

    build: makes it in a folder of its own, under a path; what it returns is why it could not.
    """
    variable, name = f"FLEET_{called.upper()}", called.lower()
    if named := os.environ.get(variable):
        return Path(named)
    folder = default_root().parent / f"{name}-{version}"
    program = folder / name
    if program.exists():
        return program
    if not shutil.which("go"):
        return f"Go is not installed, with which {called} is built, and {variable} names none"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"), tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / "built"
        fault = None if program.exists() else build(Path(scratch), made)
        if made.exists():
            made.rename(program)
    return program if fault is None else f"{called} {version} cannot be built: {fault}"
