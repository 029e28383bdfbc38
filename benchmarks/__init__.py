"""Benchmarks: each module is one command that measures side by side in one run and prints ratios and gates."""
