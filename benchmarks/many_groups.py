"""`python -m benchmarks.many_groups`: one cluster whose clients commit for very many groups, beside a healthy one.

There are as many as a sweep reads. Every group has a name as long as raw may hold and a committed offset in each sweep.
The whole day is computed by all
queries, in one JVM of Spark's default heap. The healthy cluster's findings have to be those of a day that it has alone.
"""

import argparse
import json
import random
import string
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import figure, gate, machine
from kafka_fleet.collect.admin.groups import MOST
from kafka_fleet.store.raw.column_constraints import GROUP
from support.homes.recorded import changed, land_all, recorded_day, write_home
from support.spark_runs.analysed import Analysed, analyse

HEALTHY, HOSTILE = "follower332", "many-groups"


def hostile(home: Path, groups: int) -> int:
    """Land its sweeps, with so many groups more than were recorded; gives the rows of all of them."""
    drawn = random.Random(1)  # noqa: S311 - to be had again
    rest = GROUP.longest - 9
    names = [f"{number:09d}{''.join(drawn.choices(string.ascii_letters, k=rest))}" for number in range(groups)]

    def more(sweeps: list[Any]) -> None:
        for place, one in enumerate(sweeps):
            if one.rows("groups") and one.rows("group_offsets"):
                group, offset = one.rows("groups")[0], one.rows("group_offsets")[0]
                committed = (offset["committed_offset"] or 0) + place
                one.tables["groups"] += [{**group, "group_id": name, "state": "Empty"} for name in names]
                one.tables["group_offsets"] += [
                    {**offset, "group_id": name, "committed_offset": committed} for name in names
                ]

    landed = land_all(home, changed("follower331", HOSTILE, more))
    return sum(file.rows for one in landed for file in one.files.values())


def told(day: Analysed) -> str:
    """The healthy cluster's findings."""
    return json.dumps(day.findings(HEALTHY))


def main() -> int:
    """Judge both days, print figures and gates."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_groups", description=__doc__)
    parser.add_argument("--groups", type=int, default=MOST)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="groups-") as folder:
        alone, beside = Path(folder) / "alone", Path(folder) / "beside"
        for home in (alone, beside):
            write_home(home, [HEALTHY])
        began = time.monotonic()
        calm = analyse(alone, recorded_day())
        figure("the healthy cluster judged alone", f"{time.monotonic() - began:.0f} s")
        rows = hostile(beside, options.groups)
        began = time.monotonic()
        day = analyse(beside, recorded_day())
        figure(f"judged beside {options.groups:,} groups in {rows:,} rows", f"{time.monotonic() - began:.0f} s")
        held = [
            gate("findings of the healthy cluster that differ", int(told(day) != told(calm)), 0),
            gate("findings of the hostile cluster missing", int(not day.findings(HOSTILE)), 0),
        ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
