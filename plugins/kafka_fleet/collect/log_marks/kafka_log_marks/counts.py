"""Counts of marks as they are kept and as node_exporter serves them: takes messages, gives the text of a .prom file."""

from __future__ import annotations

import re

from .marks import MARKS

PORTS = 16  # ports that are told apart
PAUSE_S = 60.0  # lines that are no further apart are one run of lines
KEPT = ("lines", "number", "first", "last")
NAMES = {  # by what is kept: metric, its type, and what it is
    "lines": ("kafka_log_mark_lines_total", "counter", "Lines of a log that are a mark."),
    "number": ("kafka_log_mark_number_total", "counter", "Sum of the numbers in these lines."),
    "first": ("kafka_log_mark_first_line_timestamp_seconds", "gauge", "First line of the last run without a pause."),
    "last": ("kafka_log_mark_last_line_timestamp_seconds", "gauge", "Last line."),
}
OWN = {
    "since": ("kafka_log_marks_since_timestamp_seconds", "gauge", "When the counting began."),
    "read": ("kafka_log_marks_read_timestamp_seconds", "gauge", "When the logs were read last."),
    "lost": ("kafka_log_marks_lost_files_total", "counter", "Log files that went before they were read to their end."),
}
READABLE = "kafka_log_marks_readable", "Whether the log could be read in the last run."


class Counts:
    """Lines by mark and port, since `since`; kept over runs."""

    def __init__(self, kept: dict[str, dict[str, float]]) -> None:
        self.kept = kept
        self.marks = [(name, log, re.compile(line), number) for name, log, line, number in MARKS]

    def take(self, log: str, text: str, at: float) -> None:
        """Count a message of one of the three logs, written at a time."""
        for name, own, pattern, number in self.marks:
            found = pattern.match(text) if own == log else None
            if not found:
                continue
            value = int(found.group(1) or 0) if number else 0
            key = name + " " + str(value) if number == "port" else name
            ports = [one for one in self.kept if one.startswith(name + " ")]
            if number == "port" and key not in ports and len(ports) >= PORTS:
                return
            row = self.kept.setdefault(key, dict.fromkeys(KEPT, 0.0))
            row["lines"] += 1
            row["number"] += 0 if number == "port" else value
            if row["lines"] == 1 or at - row["last"] > PAUSE_S:
                row["first"] = at
            row["last"] = max(row["last"], at)
            return


def exposition(
    kept: dict[str, dict[str, float]], logs: dict[str, bool], own: dict[str, float], broker: str | None
) -> str:
    """The text. logs: whether each could be read; marks of one that could not are left out, as unknown."""
    common = [] if broker is None else [("broker", broker)]
    keys = [name for name, log, _line, _number in MARKS if logs.get(log)]
    rows = [(key, dict.fromkeys(KEPT, 0.0)) for key in keys if not any(one.split(" ")[0] == key for one in kept)]
    rows += [(key, row) for key, row in sorted(kept.items()) if key.split(" ")[0] in keys]
    lines = []
    for what, (name, kind, about) in NAMES.items():
        lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
        for key, row in rows:
            mark, _, port = key.partition(" ")
            labels = [*common, ("mark", mark), *([("port", port)] if port else [])]
            lines.append(f"{name}{label_set(labels)} {row[what]:.3f}")
    name, about = READABLE
    lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
    lines += [f"{name}{label_set([*common, ('log', log)])} {int(read)}" for log, read in logs.items()]
    for what, (name, kind, about) in OWN.items():
        lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}", f"{name}{label_set(common)} {own[what]:.3f}"]
    return "\n".join(lines) + "\n"


def label_set(labels: list[tuple[str, str]]) -> str:
    """Labels as a series has them; their values are names and numbers of this program."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
