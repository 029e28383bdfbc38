"""Tables of checks for pages with prose: takes the folders of sql/conditions and the planted faults, gives Markdown."""

import sys
from importlib import import_module

from docs_generator import ROOT
from docs_generator.markdown import code, escape, table
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.conditions import asked_by, load_conditions


def condition_table() -> str:
    """One row per condition: the known issues that ask for it, and when its answer is yes."""
    asking: dict[str, list[str]] = {name: [] for name in load_conditions()}
    for advisory in load_advisories().values():
        for name in asked_by(advisory):
            asking[name].append(f"[{advisory.id}](advisories/{advisory.id}.md)")
    rows = [[code(name), ", ".join(asking[name]), escape(one.holds_when)] for name, one in load_conditions().items()]
    return table(["Condition", "Advisory", "Yes, when"], rows)


def fault_table() -> str:
    """One row per planted fault. What plants them are tests, which no installation has on its path."""
    tests = str(ROOT / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    made: str = import_module("support.generators.fleetgen.catalogue").table()
    return made
