"""Every seeded fault: takes the modules of fleetgen/faults, gives their faults in order; as a program, a table of them.

PYTHONPATH=plugins:spark:tests python -m support.generators.fleetgen.catalogue
"""

from importlib import import_module
from pathlib import Path

from support.generators.fleetgen.faults.common import Fault


def every_fault() -> list[Fault]:
    """Faults of all signatures; a module of the folder needs no registration."""
    names = sorted(path.stem for path in (Path(__file__).parent / "faults").glob("*.py") if path.stem != "common")
    return [fault for name in names for fault in import_module(f"support.generators.fleetgen.faults.{name}").faults()]


def table() -> str:
    """The faults as a Markdown table, for docs/trust.md."""
    lines = ["| Signature | Cause | What is set |", "| --- | --- | --- |"]
    return "\n".join([*lines, *(f"| `{one.signature}` | `{one.cause}` | {one.about} |" for one in every_fault())])


if __name__ == "__main__":
    print(table())
