"""What killed writers left outside raw: takes a home, removes files that were on their way and never arrived.

A file is written under another name and renamed when it is whole, so no reader knows these. In a bucket there are none.
"""

import os
from contextlib import suppress
from pathlib import Path

from kafka_fleet.base.edited_files import TEMPORARY
from kafka_fleet.store import bucket
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import STAGES
from kafka_fleet.store.raw.landing import ORPHAN_SECONDS
from kafka_fleet.store.raw.trusted_clock import changed_at


def remove_temporaries(home: Path, now: float) -> int:
    """Delete those older than a day at a moment, when their writer is dead. Gives their number."""
    if bucket.is_bucket_path(home):
        return 0
    limit, removed = now - ORPHAN_SECONDS, 0
    for stage in STAGES:  # of raw: garbage.py
        for folder, _folders, files in os.walk(Home(home).stage(stage)):
            for path in (Path(folder, name) for name in files if name[0] == "." and name.endswith(TEMPORARY)):
                with suppress(FileNotFoundError):  # renamed just now
                    if changed_at(path) < limit:
                        path.unlink()
                        removed += 1
    return removed
