"""New messages of /dev/kmsg: takes where the last run ended, gives what the kernel itself wrote, with times."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

RECORDS = 100_000  # in one run


def kernel_records(path: str, known: dict[str, Any] | None) -> tuple[list[tuple[str, float]], dict[str, Any]]:
    """New messages of /dev/kmsg with their times, and up to which record it was read in this boot."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    booted = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)
    last = known["record"] if known and known["boot"] == boot else -1
    found: list[tuple[str, float]] = []
    for number, micros, text in kmsg(path):
        if number > last:
            last = number
            found.append((text, booted + micros / 1e6))
    return (found if known is not None else []), {"boot": boot, "record": last}


def kmsg(path: str) -> Iterator[tuple[int, int, str]]:
    """Number, µs since boot and text of the records that the kernel itself wrote."""
    source = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        for _number in range(RECORDS):
            try:
                record = os.read(source, 8192)
            except BrokenPipeError:  # records were overwritten before they were read: it goes on with the next
                continue
            except BlockingIOError:
                return
            if not record:
                return
            head, _, text = record.decode("utf-8", "replace").partition(";")
            fields = head.split(",")
            if len(fields) >= 3 and all(one.isdigit() for one in fields[:3]) and int(fields[0]) < 8:
                yield int(fields[1]), int(fields[2]), text.split("\n")[0]
    finally:
        os.close(source)
