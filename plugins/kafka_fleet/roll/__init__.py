"""Rolls: takes the newest sweep and what was judged, says whether one may start, and what the last one did."""
