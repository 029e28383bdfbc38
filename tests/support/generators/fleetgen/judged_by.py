"""By which queries a table of figures was measured: takes the folder sql/, gives a hash of what judges there."""

import hashlib
import re
from pathlib import Path

MARK = re.compile(r"^Queries: `sql/` ([0-9a-f]{16})\b", re.MULTILINE)
HEAD = "| Signature | Clean days (evaluated) |"


def queries_hash(sql: Path) -> str:
    """First 16 hex digits of the sha256 over path and content of every query and threshold of facts and signatures.

    Cases and descriptions are left out: they judge nothing.
    """
    found = hashlib.sha256()
    for folder in ("marts", "signatures"):
        for path in sorted((sql / folder).rglob("*")):
            if path.suffix == ".sql" or path.name == "signature.yaml":
                found.update(f"{path.relative_to(sql).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def stale(page: str, sql: Path) -> str | None:
    """One sentence if the page has a table of figures that these queries did not give; else None."""
    if HEAD not in page:
        return None
    told = MARK.findall(page)
    if told == [queries_hash(sql)]:
        return None
    by = " and ".join(told) or "queries without a name"
    return f"its figures were measured by {by}, and sql/ is {queries_hash(sql)}: withdraw or renew"
