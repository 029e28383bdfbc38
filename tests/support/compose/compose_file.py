"""docker-compose.yml as compose reads it: takes variables, gives the file with them in their places, or a refusal.

The rules are those that the file uses: `${NAME:?sentence}` is required, `${NAME:-}` may be absent, `$$` is a dollar.
tests/integration/containers/test_containers.py compares the outcome with that of the real program where there is one.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "docker-compose.yml"
_USED = re.compile(r"\$\$|\$\{(\w+):\?([^}]*)\}|\$\{(?P<optional>\w+):-\}|\$")


class Missing(ValueError):
    """A required variable is absent or empty; the text is the sentence that compose ends with."""


def variables() -> dict[str, str]:
    """Every variable that the file requires, with the sentence for its absence."""
    return {found[1]: found[2] for found in _USED.finditer(FILE.read_text()) if found[1]}


def _filled(node: Any, given: Mapping[str, str]) -> Any:
    def one(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        if found["optional"]:
            return given.get(found["optional"], "")
        if found[1] is None:
            raise ValueError(f"a dollar that is neither $$ nor a variable: {found.string[:80]}")
        if not given.get(found[1]):
            raise Missing(f"required variable {found[1]} is missing a value: {found[2]}")
        return given[found[1]]

    if isinstance(node, str):
        return _USED.sub(one, node)
    if isinstance(node, dict):
        return {key: _filled(value, given) for key, value in node.items()}
    return [_filled(value, given) for value in node] if isinstance(node, list) else node


def load(given: Mapping[str, str]) -> dict[str, Any]:
    """The whole file. Raises Missing."""
    filled: dict[str, Any] = _filled(yaml.safe_load(FILE.read_text()), given)
    return filled


def program() -> list[str] | None:
    """The command of docker compose 2 on this machine, by either name; None where there is none."""
    for words in (["docker-compose"], ["docker", "compose"]):
        if shutil.which(words[0]):
            asked = subprocess.run([*words, "version", "--short"], capture_output=True, text=True, check=False)
            major = asked.stdout.strip().lstrip("v").partition(".")[0]  # `dev` where it was built from its source
            if asked.returncode == 0 and (not major.isdecimal() or int(major) >= 2):
                return words
    return None


def config(command: list[str], given: Mapping[str, str], folder: Path) -> tuple[dict[str, Any] | None, str]:
    """What `docker compose config` makes of the file: all services, or None and its last line."""
    words = [*command, "--file", str(FILE), "--project-directory", str(folder), "--profile", "demo", "config"]
    plugins = os.environ.get("DOCKER_CONFIG", str(Path.home() / ".docker"))  # compose may be a plugin of the user's
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "DOCKER_CONFIG": plugins, **given}
    done = subprocess.run([*words, "--format", "json"], env=clean, capture_output=True, text=True, check=False)
    made = done.stdout.replace("$$", "$")  # it writes a dollar as a file would have to
    return (json.loads(made), "") if done.returncode == 0 else (None, done.stderr.strip().splitlines()[-1])
