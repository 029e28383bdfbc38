"""Benchmarks: each module is one command that measures side by side in one run and prints ratios and gates."""

import kafka_fleet  # noqa: F401 - before pyarrow, whose allocator it chooses
