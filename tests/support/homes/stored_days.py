"""Days of a home: takes recorded clusters, gives fleet entries, stores their sweeps on any day, reads what came out."""

import json
from datetime import date
from pathlib import Path
from typing import Any

from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home_names import POINTER
from support.homes.recorded import recorded_day, recording, write_home


def entries(*names: str) -> list[dict[str, Any]]:
    """Fleet file entries of recorded clusters, as their last sweep carries them; broker ids are numbers again."""
    texts = [recording(name)[-1].rows("declarations")[0]["declaration"] for name in names]
    return [json.loads(text, object_hook=_numbered) for text in texts]


def _numbered(mapping: dict[str, Any]) -> dict[str | int, Any]:
    return {int(key) if key.isdigit() else key: value for key, value in mapping.items()}


def store_day(home: Path, day: str, *names: str) -> None:
    """Land the sweeps of recorded clusters as if they had been taken on that day."""
    moved = date.fromisoformat(day) - date.fromisoformat(recorded_day())
    write_home(home, names, moved.days)


def published(home: Path, stage: str, day: str) -> dict[str, bytes]:
    """Files of the generation that readers of a stage follow, by their path in it; empty when none is published."""
    folder = home / stage / f"ds={day}"
    generation = current_generation(folder)
    if generation is None:
        return {}
    files = sorted(path for path in (folder / generation).rglob("*") if path.is_file())
    return {str(path.relative_to(folder / generation)): path.read_bytes() for path in files}


def pointers(home: Path) -> dict[str, str]:
    """Every pointer below a home: folder of the stage and day -> generation."""
    return {
        str(p.parent.relative_to(home)): str(current_generation(p.parent)) for p in sorted(home.glob(f"**/{POINTER}"))
    }
