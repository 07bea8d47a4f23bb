"""Find the series of received and of sent octets by their names.

>>> ways(["traffic_in", "traffic_out"]), ways(["ds0", "ds1"]), ways(["load", "temperature"])
({'in': 0, 'out': 1}, {'in': 0, 'out': 1}, {})
>>> ways(["INERRORS", "INOCTETS", "OUTOCTETS"])
{'in': 1, 'out': 2}
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_NOT_OCTETS: Final = re.compile(
    r"err|discard|drop|pkt|packet|ucast|mcast|multi|broad|bcast|unknown|proto|latency|loss|temp|fan|cpu|mem|disk|qlen|"
    r"percentile|total|sum|peak|capacity|speed|limit",
    re.IGNORECASE,
)
_IN: Final = re.compile(
    r"(?:^|[^a-z])(?:rx|in|inbound|incoming|input|received?|recv|down|download|ingress|ifHCInOctets|ifInOctets)(?:$|[^a-z])|"
    r"(?:^|_|if|HC)in_?(?:octets|bytes|bits|bps|traffic|rate)|(?:octets|bytes|bits|traffic)_?in$|in(?:bound|coming)|receive|"
    r"^rx|_rx|rx_?(?:bytes|octets|rate|bits)",
    re.IGNORECASE,
)
_OUT: Final = re.compile(
    r"(?:^|[^a-z])(?:tx|out|outbound|outgoing|output|sent|send|transmit(?:ted)?|up|upload|egress|ifHCOutOctets|ifOutOctets)"
    r"(?:$|[^a-z])|(?:^|_|if|HC)out_?(?:octets|bytes|bits|bps|traffic|rate)|(?:octets|bytes|bits|traffic)_?out$|out(?:bound|going)|"
    r"transmit|^tx|_tx|tx_?(?:bytes|octets|rate|bits)",
    re.IGNORECASE,
)
_PAIRS: Final = (("ds0", "ds1"), ("rx", "tx"), ("in", "out"), ("traffic_in", "traffic_out"), ("inoctets", "outoctets"))
_BITS: Final = re.compile(r"(?i:bits?(?:\b|_per))|bps\b|[kKMGT]?b/s")
_BYTES: Final = re.compile(r"(?i:bytes?\b|octets?\b)|B/s|Bps\b")


def ways(names: Sequence[str]) -> dict[str, int]:
    """Positions of the series that count octets received ("in") and sent ("out"), as far as their names show."""
    lower = [name.strip().lower() for name in names]
    for pair in _PAIRS:
        if all(name in lower for name in pair):
            return {"in": lower.index(pair[0]), "out": lower.index(pair[1])}
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if _NOT_OCTETS.search(name):
            continue
        is_in, is_out = _IN.search(name) is not None, _OUT.search(name) is not None
        if is_in != is_out:
            places.setdefault("in" if is_in else "out", place)
    return places


def in_bits(text: str) -> bool | None:
    """Whether a label means bits (True) or bytes (False) a second; None if it shows neither."""
    if _BITS.search(text):
        return True
    return False if _BYTES.search(text) else None
