"""By which queries figures were measured: takes the folder sql/, gives hashes of what judges there.

A hash is over what decides: the text of queries, and thresholds and needs of signatures. Words and cases judge nothing.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

import yaml

READS = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")
DECIDES = ("of", "met", "evaluated")  # of a need; of a threshold it is the value


def queries_hash(sql: Path) -> str:
    """Of the facts and all signatures, by which a work folder's chunks were judged."""
    folders = sorted(one for one in (sql / "signatures").iterdir() if one.is_dir())
    return _hash(sql, [*sorted((sql / "marts").glob("*.sql")), *(path for one in folders for path in _own(one))])


def signature_hash(sql: Path, name: str) -> str:
    """Of one signature, and of the fact tables that it reads, directly or not: others may change without it."""
    marts = {path.stem: path for path in (sql / "marts").glob("*.sql")}
    own = _own(sql / "signatures" / name)
    found, left = set[str](), _read(own, marts)
    while left:
        found |= left
        left = _read([marts[one] for one in left], marts) - found
    return _hash(sql, [*(marts[one] for one in sorted(found)), *own])


def _own(folder: Path) -> list[Path]:
    return [*sorted(folder.glob("*.sql")), folder / "signature.yaml"]


def _read(paths: Iterable[Path], marts: dict[str, Path]) -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in paths if path.suffix == ".sql")
    return {name for text in texts for name in READS.findall(text) if name in marts}


def _hash(sql: Path, paths: Iterable[Path]) -> str:
    """First 16 hex digits of the sha256 over paths and what they decide."""
    found = hashlib.sha256()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        decides = _deciding(text) if path.suffix == ".yaml" else text
        found.update(f"{path.relative_to(sql).as_posix()}\0{decides}\0".encode())
    return found.hexdigest()[:16]


def _deciding(text: str) -> str:
    content = yaml.load(text, yaml.CSafeLoader)
    thresholds = {name: one["value"] for name, one in (content.get("thresholds") or {}).items()}
    needs = {name: one if isinstance(one, str) else {key: one[key] for key in DECIDES if key in one}
             for name, one in (content.get("needs") or {}).items()}  # fmt: skip
    return json.dumps([thresholds, needs], sort_keys=True)
