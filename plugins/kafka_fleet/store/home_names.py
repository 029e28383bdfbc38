"""Names in a home: takes days, generations and names of files, gives text; checks what must not become a path."""

import re
from datetime import date
from pathlib import Path
from typing import Literal

from kafka_fleet.store.files import list_names

DAY = "ds="  # begins the name of a day's folder
POINTER = "_current.json"
MANIFESTS, JOINED, RETIRED = "manifests", "joined", "retired"  # folders of raw that are no tables

Stage = Literal["facts", "signatures", "findings", "reports", "outbox", "runs", "replays"]
STAGES: tuple[Stage, ...] = ("facts", "signatures", "findings", "reports", "outbox", "runs", "replays")
PUBLISHED: tuple[Stage, ...] = ("findings", "signatures", "reports")  # stages with one pointer a day

_GENERATION = re.compile(r"g\d{4,}")
_DAY = re.compile(rf"{DAY}([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})")


def checked_day(text: str) -> str:
    """The text as YYYY-MM-DD. Raises ValueError with a sentence; also keeps paths free of anything else."""
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            raise ValueError
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no date; a day is written YYYY-MM-DD") from None


def is_generation(name: str) -> bool:
    """Whether a name is one of a generation: g0001, g0002."""
    return _GENERATION.fullmatch(name) is not None


def day_folder(ds: date | str) -> str:
    """The name of a day's folder. Raises ValueError for what is no day."""
    return f"{DAY}{checked_day(str(ds))}"


def day_of(folder: str) -> str:
    """The day that a folder's name, or that of a document of the day, says."""
    return folder.removeprefix(DAY)


def days_in(folder: Path, first: str = "0001-01-01", last: str = "9999-12-31") -> list[str]:
    """The days that a folder has, from the first to the last of both, sorted. Other names are passed over."""
    found = [match[1] for name in list_names(folder) if (match := _DAY.fullmatch(name))]
    return [ds for ds in found if first <= ds <= last and _is_day(ds)]


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def below_home(path: Path) -> str:
    """A path of a day in words: from its stage on."""
    stage = max(place for place, part in enumerate(path.parts) if part.startswith(DAY)) - 1
    return "/".join(path.parts[stage:])


def raw_name(folder: str, ds: date | str, file: str) -> str:
    """The name below the home of a file of raw: of a table, or of one of the folders of commits."""
    return f"raw/{folder}/{day_folder(ds)}/{file}"


def data_name(table: str, ds: date | str, cluster: str, sweep: str) -> str:
    """The name below the home of the rows that a sweep has of a table."""
    return raw_name(table, ds, f"{cluster}.{sweep}.parquet")


def manifest_name(ds: date | str, cluster: str, sweep: str) -> str:
    """The name below the home of a sweep's manifest."""
    return raw_name(MANIFESTS, ds, f"{cluster}.{sweep}.json")


def is_commit(name: str) -> bool:
    """Whether a name below the home is in a folder of commits."""
    return name.startswith((f"raw/{MANIFESTS}/", f"raw/{JOINED}/"))


def retired_name(ds: date | str) -> str:
    """The name below the home of the commit of a day's deletion."""
    return f"raw/{RETIRED}/{day_folder(ds)}.json"
