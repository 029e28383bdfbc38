"""The page of long proofs: takes benchmarks/proofs.yaml and the recorded results, gives Markdown."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from docs_generator import ROOT
from docs_generator.markdown import code, escape, table

PAGE = "docs/proofs.md"
PROOFS, RESULTS = "benchmarks/proofs.yaml", "benchmarks/proof_results.json"
NOTE = f"<!-- generated from {PROOFS} and {RESULTS} by docs/generate.py: do not edit -->"
HEAD = """# Long proofs

What takes too long for every test run. Each line is one command that ends with 0 when its sentence holds; its figures,
the day and the commit (with a "+" where files differed from it) are those of its last run. A result is **stale** once a
file that it speaks of has another content than when it was recorded; `scripts/prove --list` names these files.

```bash
scripts/prove --list
scripts/prove NAME
python docs/generate.py
```
"""


class Proof(NamedTuple):
    """One proof: the sentence that it shows, its command, what it needs, and about how many minutes it takes.

    paths: of the code that it speaks of. changed: by the commit of a result, what is otherwise by now.
    """

    shows: str
    command: list[str]
    needs: str
    minutes: int
    paths: list[str]
    changed: dict[str, str] = {}  # noqa: RUF012 - never written to


@cache
def proofs() -> dict[str, Proof]:
    """Every proof by name, in order. Raises TypeError for one that says too little or too much."""
    content: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / PROOFS).read_text(encoding="utf-8"))
    return {name: Proof(**one) for name, one in content.items()}


def code_hash(paths: list[str], root: Path = ROOT) -> str:
    """A digest of the names and contents of all files below these paths, but those that Python and Git leave there."""
    digest = hashlib.sha256()
    for path in paths:
        below = sorted((root / path).rglob("*")) if (root / path).is_dir() else [root / path]
        for file in below:
            own = file.relative_to(root)
            if file.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in own.parts):
                digest.update(f"{own.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def recorded() -> dict[str, dict[str, Any]]:
    """By name: `result`, `figures` (lines), `seconds`, `on`, `commit`, and `code`, the hash of what it speaks of.

    Of proofs that are there still.
    """
    path = ROOT / RESULTS
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: one for name, one in found.items() if name in proofs()}


def _row(name: str, proof: Proof) -> list[str]:
    known = recorded().get(name)
    result = "not recorded"
    if known is not None:
        result = f"{known['result']}: {known['seconds']} s, {known['on']}, {known['commit']}"
        if known.get("code") != code_hash(proof.paths):
            result = f"**stale**, {result}"
        since = proof.changed.get(known["commit"])
        result = "<br>".join([result, *([escape(since)] if since else []), *map(escape, known["figures"])])
    return [code(name), escape(proof.shows), f"{proof.minutes} min; {escape(proof.needs)}", result]


def proof_page() -> str:
    """The whole page."""
    rows = table(["Proof", "What it shows", "Takes", "Result"], [_row(name, one) for name, one in proofs().items()])
    return f"{NOTE}\n{HEAD}\n{rows}\n"
