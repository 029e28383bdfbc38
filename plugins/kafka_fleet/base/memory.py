"""How this process keeps memory: set before Arrow is imported, which looks at it then.

A collector is many short threads with small tables. Arrow's own allocator keeps for each thread what that thread has
freed, and glibc gives every thread an arena of its own, up to eight a core, each in more pieces by the hour: memory
that is not in use would grow all day (docs/soak.md has both, side by side).
"""

import ctypes
import os

_M_ARENA_MAX = -8  # mallopt(3) of glibc
ARENAS = 2


def bound_memory() -> None:
    """Use the system's allocator, and few arenas of it, unless the environment says otherwise."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if "MALLOC_ARENA_MAX" not in os.environ and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_M_ARENA_MAX, ARENAS)  # other C libraries have neither arenas nor this function
