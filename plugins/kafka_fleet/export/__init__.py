"""What is known and judged, in formats of others: OSV of the known issues, OpenVEX of the verdicts."""
