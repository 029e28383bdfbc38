"""Kafka Fleet Health: the library. It imports neither Airflow nor Spark."""

import os

__version__ = "0.1.0"

# Arrow's own allocator keeps for each thread what that thread has freed, also when the thread is gone. A collector is
# many short threads with small tables: the system's allocator has less memory for them, and as much at the end of a day
# as at its beginning (docs/soak.md). Arrow looks at this when it is first imported.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
