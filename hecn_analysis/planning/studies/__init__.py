"""Tables that notebooks discuss: arrays, host limits, long paths, satellites, pairs of tools."""
