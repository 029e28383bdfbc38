"""The command line for the live tests: takes arguments, gives what a user would see."""

import subprocess
import sys
from pathlib import Path


def fleet_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `kafka-fleet` as a user does, in a process of its own."""
    program = str(Path(sys.executable).with_name("kafka-fleet"))
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=900)
