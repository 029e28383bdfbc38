"""Hosts of a test's own: network namespaces with one address each, joined by a bridge, with no way out.

Bridge and cables are in namespaces too, so that nothing of this machine's own network changes. Needs root and `ip`.
"""

import ctypes
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from fleet_demo.processes import LOOPBACK
from support.live.packages import said

NETWORK = "198.18.7"  # of the range kept for tests between networks
_CLONE_NEWNET = 0x40000000


class Host(NamedTuple):
    """Where a process runs: the address it has, and the namespace that it is started in; none is this machine."""

    address: str = LOOPBACK
    namespace: str = ""

    def runs(self, command: list[str]) -> list[str]:
        """The command line that runs a command on this host."""
        return ["ip", "netns", "exec", self.namespace, *command] if self.namespace else command

    def listens(self, port: int) -> socket.socket:
        """A socket of this process that takes connections at the host's address: a socket keeps its namespace."""
        made: list[socket.socket | OSError] = []

        def make() -> None:
            try:
                if self.namespace:
                    _enter(self.namespace)
                made.append(socket.create_server((self.address, port)))
            except OSError as error:
                made.append(error)

        thread = threading.Thread(target=make)  # the namespace is the thread's, and ends with it
        thread.start()
        thread.join(30)
        (found,) = made
        if isinstance(found, OSError):
            raise found
        return found

    def unplug(self) -> None:
        """Take the host off the network, without a word to anybody: as when it loses its power."""
        self._cable("down")

    def plug(self) -> None:
        """Put it back, with the address that it had."""
        self._cable("up")

    def _cable(self, state: str) -> None:
        fault = said(["ip", "-n", self.namespace, "link", "set", "eth0", state], 20)
        assert fault is None, fault


def _enter(namespace: str) -> None:
    with Path(f"/run/netns/{namespace}").open() as place:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(place.fileno(), _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"the namespace {namespace} cannot be entered")


def no_hosts() -> str:
    """Why hosts cannot be had here, in one sentence; empty when they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "network namespaces need the program ip (iproute2)"
    trial = f"fleet-hosts-{os.getpid()}-trial"
    faults = [said(["ip", "netns", "add", trial], 20), said(["ip", "netns", "del", trial], 20)]
    return next((f"no network namespace can be made here: {fault}" for fault in faults if fault), "")


@contextmanager
def network_hosts(*names: str) -> Iterator[list[Host]]:
    """Hosts of these names for the length of the block: each reaches the others by address, and nobody else."""
    prefix = f"fleet-hosts-{os.getpid()}"
    hub = f"{prefix}-hub"
    hosts = [Host(f"{NETWORK}.{number}", f"{prefix}-{name}") for number, name in enumerate(names, 1)]
    steps = [["ip", "netns", "add", hub], ["ip", "-n", hub, "link", "add", "bridge0", "type", "bridge"]]
    steps.append(["ip", "-n", hub, "link", "set", "bridge0", "up"])
    for number, host in enumerate(hosts, 1):
        cable = f"cable{number}"
        ends = [cable, "netns", hub, "type", "veth", "peer", "name", "eth0", "netns", host.namespace]
        steps += [
            ["ip", "netns", "add", host.namespace],
            ["ip", "link", "add", *ends],
            ["ip", "-n", hub, "link", "set", cable, "master", "bridge0", "up"],
            ["ip", "-n", host.namespace, "addr", "add", f"{host.address}/24", "dev", "eth0"],
            ["ip", "-n", host.namespace, "link", "set", "eth0", "up"],
            ["ip", "-n", host.namespace, "link", "set", "lo", "up"],
        ]
    try:
        for step in steps:
            fault = said(step, 20)
            assert fault is None, f"{' '.join(step)}: {fault}"
        yield hosts
    finally:
        for namespace in (hub, *(host.namespace for host in hosts)):
            said(["ip", "netns", "del", namespace], 20)
