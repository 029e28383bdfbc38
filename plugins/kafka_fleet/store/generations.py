"""Generations: every run of a day writes new folders; one pointer per folder says which of them readers follow.

runs/ds=D/g0001              claimed by creating it, a folder or an empty object; a second run of the day gets g0002
runs/ds=D/g0001.json         {"dag_id": ..., "run_id": ...} where an Airflow run claimed it; "late": true where that
                             day was missed, and is judged without mail
runs/ds=D/g0001.fleet        the fleet as that run found it (kept_fleet.py)
<stage>/ds=D/g0001/...       what the run wrote
<stage>/ds=D/_current.json   {"generation": "g0001"}; replaced atomically when the stage is whole
"""

import json
from pathlib import Path
from typing import Any

from kafka_fleet.store.files import claim_name, list_names, read_file, replace_file, update_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import POINTER, below_home, is_generation


def claim_generation(home: Path, ds: str) -> str:
    """A generation name that no other run of the day has."""
    day = Home(home).day(ds)
    while True:
        taken = [int(name[1:]) for name in list_names(day.runs) if is_generation(name)]
        name = f"g{max(taken, default=0) + 1:04d}"
        try:
            claim_name(day.generation(name).claim)
        except FileExistsError:
            continue
        return name


def note_run(home: Path, ds: str, generation: str, dag_id: str, run_id: str, late: bool = False) -> None:
    """Remember which Airflow run a generation is of; a result itself must not depend on that.

    late: the day was missed, and is judged after a later one has ended; its letters are not mailed.
    """
    content = {"dag_id": dag_id, "run_id": run_id} | ({"late": True} if late else {})
    replace_file(Home(home).generation(ds, generation).run, json.dumps(content, sort_keys=True).encode())


def noted_run(home: Path, ds: str, generation: str) -> dict[str, Any]:
    """What note_run remembers of a generation; empty where no Airflow run claimed it. Raises ValueError."""
    path = Home(home).generation(ds, generation).run
    try:
        content = json.loads(read_file(path))
    except FileNotFoundError:
        return {}
    if not isinstance(content, dict):
        raise ValueError(f"{below_home(path)} is damaged: it is not what it should be")
    return content


class Overtaken(RuntimeError):
    """A later run of the day has published already; an earlier one that was thought dead must not undo it."""


class Unchangeable(RuntimeError):
    """A task of a finished run was cleared by itself; what readers follow is not written over file by file."""

    def __init__(self, generation: str, ds: str) -> None:
        super().__init__(f"{generation} of {ds} is published and changes no more: clear the run from coverage on")


def publish(folder: Path, generation: str) -> None:
    """Point readers of `<stage>/ds=D` at a generation that is whole. Raises Overtaken when a later one is there."""
    if not is_generation(generation):
        raise ValueError(f"{generation[:40]!r} names no generation")

    def flip(found: bytes | None) -> bytes:
        there = None if found is None else _named(folder, found)
        if there is not None and int(there[1:]) > int(generation[1:]):
            raise Overtaken(f"{folder}: {there} is published, {generation} is older and stays unpublished")
        return json.dumps({"generation": generation}).encode()

    update_file(folder / POINTER, flip, lock=folder)


def current_generation(folder: Path) -> str | None:
    """The generation that readers of `<stage>/ds=D` follow; None when nothing is published.

    Raises ValueError when the pointer is damaged.
    """
    try:
        return _named(folder, (folder / POINTER).read_bytes())
    except FileNotFoundError:
        return None


def _named(folder: Path, pointer: bytes) -> str:
    try:
        content = json.loads(pointer)
    except ValueError:
        content = None
    name = content.get("generation") if isinstance(content, dict) else None
    if not isinstance(name, str) or not is_generation(name):
        raise ValueError(f"{folder / POINTER} names no generation")
    return name
