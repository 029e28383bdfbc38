"""node_exporter for the live tests: nothing goes in, out comes the program, or one sentence why there is none.

It is the one on the path, else that of the distribution's own package.
"""

import shutil
from pathlib import Path

from fleet_demo.artifacts import default_root
from support.live.packages import unpacked

PACKAGE, PROGRAMS = "prometheus-node-exporter", ("prometheus-node-exporter", "node_exporter")
SYSCTLS = ("net.core.somaxconn", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_max_syn_backlog")


def exporter() -> Path | str:
    """The node_exporter program: of the path, else of the distribution's package, unpacked; or why there is none."""
    for name in PROGRAMS:
        if found := shutil.which(name):
            return Path(found)
    folder = unpacked(PACKAGE, "node_exporter", default_root().parent / "node_exporter")
    return folder if isinstance(folder, str) else folder / PACKAGE


def command(program: Path, port: int, textfiles: Path | None = None) -> list[str]:
    """The command line that shows the counters of TCP, the boot time and three kernel settings on a loopback port.

    textfiles: the folder of *.prom files that it shows as well.
    """
    wanted = [f"--collector.{name}" for name in ("disable-defaults", "netstat", "stat", "sysctl")]
    wanted += [f"--collector.sysctl.include={name}" for name in SYSCTLS]
    if textfiles is not None:
        wanted += ["--collector.textfile", f"--collector.textfile.directory={textfiles}"]
    return [str(program), f"--web.listen-address=127.0.0.1:{port}", *wanted]
