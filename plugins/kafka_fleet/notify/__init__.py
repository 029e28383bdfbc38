"""Findings to other programs: what changed of a cluster goes to each channel of its entry, once."""
