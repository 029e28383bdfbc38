"""Text for mail headers: takes any text, gives one line that cannot begin a second header or hide its reading order."""

import re
import unicodedata

ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?")
DOMAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?")
DEFAULT_DOMAIN = "kafka-fleet-health.invalid"  # RFC 2606: promises nobody's domain


def one_line(text: str, limit: int = 200) -> str:
    """`text` without control, line-breaking, zero-width and direction characters, at most `limit` characters."""
    kept = "".join(" " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char for char in text)
    line = " ".join(kept.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
