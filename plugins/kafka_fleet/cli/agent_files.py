"""`kafka-fleet agent-policy` and `host-script`: files for brokers' hosts, for who has the package and no checkout."""

import argparse
import ipaddress
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from kafka_fleet.collect import log_marks
from kafka_fleet.schema.access_policy import access_policy
from kafka_fleet.store.files import replace_file

SCRIPT = "kafka_log_marks"
_NAME = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)


def add_agent_files(verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Add both verbs."""
    about = "print the access policy of Jolokia agents, which allows what is read and nothing else"
    policy = verb("agent-policy", agent_policy, about, None, home=False, ds=False)
    text = "who may ask the agent: a name, an address or a network such as 10.1.0.0/16; repeatable; default: 127.0.0.1"
    policy.add_argument("--host", dest="hosts", action="append", type=_host, metavar="HOST", help=text)
    about = "write the script for brokers' hosts that counts lines of logs and connections, beside node_exporter"
    script = verb("host-script", host_script, about, None, home=False, ds=False)
    script.add_argument("folder", type=Path, metavar="DIR", help=f"the folder {SCRIPT} is written into, such as /opt")


def agent_policy(options: argparse.Namespace) -> int:
    """jolokia-access.xml on standard output."""
    print(access_policy(options.hosts or ["127.0.0.1"]), end="")
    return 0


def host_script(options: argparse.Namespace) -> int:
    """The script's files, as they are in this version; those of an earlier one are replaced. Raises OSError."""
    target = options.folder / SCRIPT
    target.mkdir(parents=True, exist_ok=True)
    for one in sorted(files(log_marks).joinpath(SCRIPT).iterdir(), key=lambda found: found.name):
        if one.name.endswith(".py"):
            replace_file(target / one.name, one.read_bytes())
    print(f"{target}: python3 -m {SCRIPT}, in {options.folder}")
    return 0


def _host(text: str) -> str:
    """A host as Jolokia takes it. Raises ValueError."""
    try:
        return str(ipaddress.ip_network(text)) if "/" in text else str(ipaddress.ip_address(text))
    except ValueError:
        if _NAME.fullmatch(text) and not re.fullmatch(r"[0-9.]+", text):
            return text
        raise
