"""A line of a log becomes its message and its time: takes the line as a file or Loki has it.

Marks are matched at the begin of the message alone: a client's own name, which brokers log as well, may be any text.
"""

from __future__ import annotations

import json
import re
from datetime import datetime

LEVEL = re.compile(r"\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\]?:?[ \t]+")
HEADS = re.compile(  # times, what containers' runtimes and syslog put before a line
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]{0,10} ?(?:Z|[+-]\d\d:?\d\d)?\]?:?[ \t]+|std(?:out|err) [FP] "
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )"
)
PROGRAM = re.compile(
    r"(?!(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL) )[\w.-]{1,100} ([\w.@/-]{1,60})(?:\[\d{1,10}\])?: +"
)
UPTIME = re.compile(r"\[ *\d+\.\d{6}\] ")
STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,6})\d*)? ?(Z|[+-]\d\d:?\d\d)?")
LONGEST = 16 * 1024  # characters, or bytes, of a line that are looked at


def message(line: str) -> str:
    """What the program logged: the line without what stands before it; of JSON the field of the message.

    Marks are matched at its begin alone: a client's own name, which brokers log as well, may be any text.
    """
    if line.startswith("{"):
        return json_message(line)
    at, head = 0, HEADS.match(line)
    while head and at < 200:
        at, head = head.end(), HEADS.match(line, head.end())
    program = PROGRAM.match(line, at) if at else None
    if program:
        at = program.end()
        head = HEADS.match(line, at)
        at = head.end() if head else at
    uptime = UPTIME.match(line, at)
    at = uptime.end() if uptime else at
    level = LEVEL.match(line, at)
    return line[level.end() if level else at :]


def json_message(line: str) -> str:
    """The field of an object that holds the message; the line where it is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return line
    for name in ("message", "msg", "@message", "MESSAGE", "log"):
        text = found.get(name) if isinstance(found, dict) else None
        if isinstance(text, str):
            return text if text.startswith("{") else message(text)
    return line


def written_at(line: str, earliest: float, now: float) -> float:
    """When a line was written, s since epoch: as it says, if that is since the last run, else now."""
    found = STAMP.search(line, 0, 120)
    if found:
        day, clock, fraction, zone = found.groups()
        zone = "+0000" if zone == "Z" else (zone or "").replace(":", "")
        try:
            form = "%Y-%m-%d %H:%M:%S" + ("%z" if zone else "")
            at = datetime.strptime(day + " " + clock + zone, form).timestamp() + float("0." + (fraction or "0"))
        except (ValueError, OverflowError):
            return now
        if earliest <= at <= now + 60:
            return at
    return now
