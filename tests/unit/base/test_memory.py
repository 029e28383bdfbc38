"""What the library sets for the memory of a process that imports it: docs/soak.md says why."""

import os
import subprocess
import sys

import pytest


def told_by_the_program(asked: str) -> str:
    """What Python prints that has nothing of its memory set by the environment."""
    unset = {name: value for name, value in os.environ.items() if not name.startswith(("ARROW_", "MALLOC_"))}
    return subprocess.run([sys.executable, "-c", asked], env=unset, capture_output=True, text=True, check=True).stdout


def test_the_memory_of_arrow_is_the_systems() -> None:
    asked = "import kafka_fleet.cli, pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    assert told_by_the_program(asked) == "system\n"


ARENAS = """
import ctypes, threading
libc, held = ctypes.CDLL(None), threading.Barrier(16)
libc.malloc.argtypes, libc.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
def allocate():
    held.wait()
    libc.malloc(1000)
    held.wait()
threads = [threading.Thread(target=allocate) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
"""


@pytest.mark.parametrize(("imported", "arenas"), [("kafka_fleet", {2}), ("sys", {*range(3, 99)})])
def test_threads_share_two_arenas_of_glibc(imported: str, arenas: set[int]) -> None:
    assert told_by_the_program(f"import {imported}\n{ARENAS}").count("<heap nr=") in arenas
