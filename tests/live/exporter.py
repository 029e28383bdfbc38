"""node_exporter for the live tests: nothing goes in, out comes the program, or one sentence why there is none.

It is the one on the path, else that of the distribution's own package, fetched by apt-get and unpacked into the cache
beside the Kafka releases. The system's package lists and its installed packages stay as they are.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from fleet_demo.artifacts import default_root

PACKAGE, PROGRAMS = "prometheus-node-exporter", ("prometheus-node-exporter", "node_exporter")
SYSCTLS = ("net.core.somaxconn", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_max_syn_backlog")


def said(command: list[str], seconds: float, folder: Path | None = None) -> str | None:
    """Run a command; None when it went well, else the last line that it printed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, cwd=folder)
    except subprocess.TimeoutExpired:
        return f"{command[0]} did not end within {seconds:g} s"
    lines = (done.stderr or done.stdout).strip().splitlines()
    return None if done.returncode == 0 else (lines or [f"exit code {done.returncode}"])[-1]


def exporter() -> Path | str:
    """The node_exporter program: of the path, else of the distribution's package, unpacked; or why there is none."""
    for name in PROGRAMS:
        if found := shutil.which(name):
            return Path(found)
    folder = default_root().parent / "node_exporter"
    program = folder / "package/usr/bin" / PACKAGE
    if program.exists():
        return program
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return "node_exporter is not installed, and there is no apt-get to fetch it with"
    lists = folder / "lists/partial"
    lists.mkdir(parents=True, exist_ok=True)
    private = ["-o", f"Dir::State::Lists={lists.parent}", "-o", f"Dir::Cache={folder}"]  # the system's lists stay
    private += ["-o", "APT::Sandbox::User=root"]
    fault = said(["apt-get", "download", PACKAGE], 60, folder)
    if fault:
        fault = said(["apt-get", *private, "update"], 120) or said(
            ["apt-get", *private, "download", PACKAGE], 60, folder
        )
    packages = sorted(folder.glob(f"{PACKAGE}_*.deb"))
    if fault is None and packages:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            fault = said(["dpkg-deb", "-x", str(packages[-1]), scratch], 60)
            if fault is None and not program.exists():
                shutil.copytree(scratch, folder / "package", dirs_exist_ok=True)
    return program if program.exists() else f"node_exporter could not be fetched: {fault}"


def command(program: Path, port: int) -> list[str]:
    """The command line that shows the counters of TCP, the boot time and three kernel settings on a loopback port."""
    wanted = [f"--collector.{name}" for name in ("disable-defaults", "netstat", "stat", "sysctl")]
    wanted += [f"--collector.sysctl.include={name}" for name in SYSCTLS]
    return [str(program), f"--web.listen-address=127.0.0.1:{port}", *wanted]
