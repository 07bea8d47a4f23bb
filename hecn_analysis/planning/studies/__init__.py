"""Tables of the notebooks: arrays, host limits, long paths, satellites, pairs of tools."""
