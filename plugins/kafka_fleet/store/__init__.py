"""The stored side: raw tables committed by manifest, and generations of what is computed from them."""

import pyarrow as pa

# Arrow's own allocator keeps for each thread what that thread has freed, also when the thread is gone. A collector is
# many short threads with small tables: the system's allocator has less memory for them, and as much at the end of a day
# as at its beginning (docs/soak.md).
pa.set_memory_pool(pa.system_memory_pool())
