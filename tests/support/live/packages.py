"""Programs of the distribution for the live tests: takes a package's name, gives its unpacked folder, or one sentence.

Packages are fetched by apt-get and unpacked into the cache beside the Kafka releases. The system's package lists
and its installed packages stay as they are.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from fleet_demo.artifacts import locked


def said(command: list[str], seconds: float, folder: Path | None = None) -> str | None:
    """Run a command; None when it went well, else the last line that it printed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, cwd=folder)
    except subprocess.TimeoutExpired:
        return f"{command[0]} did not end within {seconds:g} s"
    lines = (done.stderr or done.stdout).strip().splitlines()
    return None if done.returncode == 0 else (lines or [f"exit code {done.returncode}"])[-1]


def unpacked(package: str, called: str, folder: Path) -> Path | str:
    """The folder that a package's programs are in, unpacked once; or why there is none. called: its name in that."""
    programs = folder / "package/usr/bin"
    if (programs / package).exists():
        return programs
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return f"{called} is not installed, and there is no apt-get to fetch it with"
    lists = folder / "lists/partial"
    lists.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        fault = None if (programs / package).exists() else _fetch(package, folder, lists.parent)
    return programs if (programs / package).exists() else f"{called} could not be fetched: {fault}"


def _fetch(package: str, folder: Path, lists: Path) -> str | None:
    private = ["-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={folder}"]  # the system's lists stay
    private += ["-o", "APT::Sandbox::User=root"]
    fault = said(["apt-get", "download", package], 60, folder)
    if fault:
        fault = said(["apt-get", *private, "update"], 120) or said(
            ["apt-get", *private, "download", package], 60, folder
        )
    packages = sorted(folder.glob(f"{package}_*.deb"))
    if fault is None and packages:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            fault = said(["dpkg-deb", "-x", str(packages[-1]), scratch], 60)
            if fault is None:
                shutil.copytree(scratch, folder / "package", dirs_exist_ok=True, symlinks=True)
    return fault
