"""Constraints for an install of the wheel: takes the run-time lock, gives a file of versions without hashes.

FLEET_CONSTRAINTS names another file, such as the one that Airflow publishes for its version and this Python.
"""

import os
from pathlib import Path

from support.wheel.installed import ROOT


def write_constraints(path: Path) -> Path:
    """pip takes a local wheel, which has no hash in the lock, only where no line asks for hashes."""
    lines = Path(os.environ.get("FLEET_CONSTRAINTS", ROOT / "requirements.runtime.lock")).read_text().splitlines()
    pins = [line.removesuffix("\\").strip() for line in lines if line and not line.startswith((" ", "#"))]
    path.write_text("\n".join(pins) + "\n")
    return path
