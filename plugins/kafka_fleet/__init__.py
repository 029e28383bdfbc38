"""Kafka Fleet Health: the library. It imports neither Airflow nor Spark."""

import ctypes
import os

__version__ = "0.1.0"

_M_ARENA_MAX = -8  # mallopt(3) of glibc
ARENAS = 2

# A collector is many short threads with small tables. Arrow's own allocator keeps for each thread what that thread has
# freed, and glibc gives every thread an arena of its own, up to eight a core, each in more pieces by the hour: memory
# that is not in use would grow all day (docs/soak.md has both, side by side). Arrow looks at this when it is imported.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
if "MALLOC_ARENA_MAX" not in os.environ and (_mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
    _mallopt(_M_ARENA_MAX, ARENAS)  # other C libraries have neither arenas nor this function
