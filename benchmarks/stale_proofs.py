"""Proofs whose results are older than the code they speak of: takes what is recorded, gives the files that changed.

A result is stale where a path that its proof names has another content at HEAD than at the recorded commit. It fails no
proof, for a proof takes too long to be run after every change: docs/proofs.md says so, and a test holds that page to it
(tests/docs/test_docs_generated.py). Which files changed is known with a history of git alone.
"""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs_generator.proof_pages import Proof

NAMED = 3  # files in a warning


def changed_since(root: Path, commit: str, paths: list[str]) -> list[str] | None:
    """Files below these paths that differ between a commit and HEAD; None where that is not known."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    asked = [git, "diff", "--name-only", commit.removesuffix("+"), "HEAD", "--", *paths]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else None


def warnings(root: Path, known: Mapping[str, Proof], results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each proof with a result whose code has changed, or whose commit this history does not have."""
    found = []
    for name, proof in known.items():
        if name not in results:
            continue
        commit = str(results[name]["commit"])
        files = changed_since(root, commit, proof.paths)
        if files is None:
            found.append(f"stale: {name}: whether its code changed since {commit} is not known here")
        elif files:
            more = f" and {len(files) - NAMED:,} more" if len(files) > NAMED else ""
            found.append(f"stale: {name}: changed since {commit}: {', '.join(files[:NAMED])}{more}")
    return found
