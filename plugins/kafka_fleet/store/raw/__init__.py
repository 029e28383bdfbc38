"""Raw tables of a home: sweeps land, are committed by manifest, compacted and deleted."""
