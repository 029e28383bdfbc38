"""The wheel, and environments that have it installed: takes a folder, gives programs to which no checkout is known."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_OURS = ("kafka_fleet", "_kafka_fleet", "__editable__")  # what the checkout's own install is in site-packages
_KEPT = ("HOME", "JAVA_HOME", "LANG", "SPARK_SUBMIT_OPTS", "TMPDIR")


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, built as pip does it but without fetching anything."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


class Installed:
    """An environment of its own. Its commands run in `folder`, with nothing of this process's Python or Airflow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.venv = folder / "venv"
        self.environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self.environment["PATH"] = os.pathsep.join([str(self.venv / "bin"), os.environ["PATH"]])
        venv.EnvBuilder(symlinks=True).create(self.venv)

    def borrow(self) -> None:
        """Every package of the tests' environment but this checkout, and Spark's programs: pip would take minutes."""
        site = Path(sysconfig.get_path("purelib", vars={"base": str(self.venv), "platbase": str(self.venv)}))
        for one in Path(sysconfig.get_path("purelib")).iterdir():
            if not one.name.startswith(_OURS):
                (site / one.name).symlink_to(one)
        for one in Path(sysconfig.get_path("scripts")).iterdir():
            if one.name.startswith(("spark-", "find", "load-spark")):
                (self.venv / "bin" / one.name).symlink_to(one)

    def pip(self, *words: str) -> str:
        """What the pip of this process says of it, or does to it."""
        command = [sys.executable, "-m", "pip", "--python", str(self.venv), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, *words: str, seconds: float = 900, **variables: str) -> subprocess.CompletedProcess[str]:
        """A program of it; the caller looks at the exit code."""
        return subprocess.run(
            words,
            cwd=self.folder,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def output(self, *words: str, **variables: str) -> str:
        """What a program prints, which has to succeed."""
        done = self.run(*words, **variables)
        assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
        return done.stdout
