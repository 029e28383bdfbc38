"""The Java that Spark runs on: takes an environment, gives the home of one that is new enough, or a sentence."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from kafka_fleet.base.errors import UsageError

OLDEST = 17  # of Spark 4.2
_NEEDED = "jdk.incubator.vector"  # a module that Spark asks for, and trimmed runtimes leave out
_PLACES = ("/usr/lib/jvm/*", "/Library/Java/JavaVirtualMachines/*/Contents/Home")
SENTENCE = (
    f"Spark needs Java {OLDEST} or later, and there is none here: install openjdk-17-jre-headless (Debian, Ubuntu), "
    "java-17-openjdk-headless (Fedora, Red Hat) or openjdk@17 (Homebrew), or set JAVA_HOME to one with the module "
    f"{_NEEDED}"
)


def _homes(environ: Mapping[str, str], places: tuple[str, ...]) -> Iterator[Path]:
    if named := environ.get("JAVA_HOME"):
        yield Path(named)
    if on_path := shutil.which("java", path=environ.get("PATH", "")):
        yield Path(on_path).resolve().parents[1]
    for place in places:
        yield from sorted(Path("/").glob(place.removeprefix("/")))


def _usable(home: Path) -> bool:
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return False
    try:
        done = subprocess.run([program, "--list-modules"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    version = re.search(r"^java\.base@(\d+)", done.stdout, re.MULTILINE)
    return version is not None and int(version[1]) >= OLDEST and f"\n{_NEEDED}@" in done.stdout


def java_home(environ: Mapping[str, str] = os.environ, places: tuple[str, ...] = _PLACES) -> Path:
    """The first usable one: of JAVA_HOME, of the PATH, of the places where systems put them. Raises UsageError."""
    for home in _homes(environ, places):
        if _usable(home):
            return home
    raise UsageError(SENTENCE)
