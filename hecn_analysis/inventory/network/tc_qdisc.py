"""``tc -s qdisc show``: the queues in front of the ports, and what they dropped.

Units and traps
---------------
- Dropped packets were dropped on the way out, before the cable; the counters run since the queue was made.
- ``mq`` stands for one queue a ring, each listed with its parent; its counters are their sum.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("tc-s-qdisc",)
VERSIONS: str = "iproute2 2.6 to 6"
COMMANDS: tuple[str, ...] = ("tc",)
BEGINS: re.Pattern[str] | None = re.compile(r"qdisc [a-z_]{2,20} [0-9a-f]{1,8}: (?:(?:dev|parent) \S{1,40}|root|\[)")
REPEATS: bool = False

_QDISC: Final = re.compile(
    r"\s{0,4}qdisc (?P<kind>[a-z_]{2,20}) (?P<handle>[0-9a-f]{1,8}): (?:\[Unknown qdisc.{0,40}\] )?"
    r"(?:dev (?P<dev>\S{1,40}) )?(?P<rest>.{0,400})$"
)
_SENT: Final = re.compile(
    r"\s{0,8}Sent (?P<bytes>\d{1,19}) bytes? (?P<packets>\d{1,19}) pkts? \(dropped (?P<dropped>\d{1,19}),? "
    r"overlimits(?: (?P<over>\d{1,19})(?: requeues (?P<requeues>\d{1,19}))?)?"
)
_RATE: Final = re.compile(r"\b(?:rate|bandwidth) (?P<number>\d{1,9}(?:\.\d{1,6})?)(?P<unit>[KMGT]?)bit\b")
_LIMIT: Final = re.compile(r"\blimit (?P<limit>\d{1,12})(?P<unit>p?)(?=\s|$)")
_DELAY: Final = re.compile(r"\bdelay (?P<number>\d{1,9}(?:\.\d{1,6})?)(?P<unit>us|ms|s)\b")
_SCALE: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SECONDS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def recognises(output: Output) -> bool:
    """Look for a queue."""
    return any(_QDISC.match(line) for line in output.lines[:3])


def read(output: Output) -> Facts:
    """Read all queues."""
    qdiscs: list[dict[str, Any]] = []
    for line in output.lines:
        if (match := _QDISC.match(line)) is not None:
            qdiscs.append(_qdisc(match))
        elif qdiscs and (sent := _SENT.match(line)) is not None:
            qdiscs[-1].update(
                sent_bytes=int(sent["bytes"]),
                sent_packets=int(sent["packets"]),
                dropped=int(sent["dropped"]),
                overlimits=int(sent["over"]) if sent["over"] else None,
                requeues=int(sent["requeues"]) if sent["requeues"] else None,
            )
    return output.facts("tc-s-qdisc", {"qdiscs": qdiscs})


def _qdisc(match: re.Match[str]) -> dict[str, Any]:
    rest = match["rest"]
    rate, limit, delay = _RATE.search(rest), _LIMIT.search(rest), _DELAY.search(rest)
    parent = re.search(r"\bparent (\S{1,20})", rest)
    return {
        "dev": match["dev"],
        "kind": match["kind"],
        "handle": match["handle"],
        "root": re.search(r"\broot\b", rest) is not None,
        "parent": parent[1] if parent else None,
        "rate_bps": round(float(rate["number"]) * _SCALE[rate["unit"]]) if rate else None,
        "limit": int(limit["limit"]) if limit else None,
        "delay_s": float(delay["number"]) * _SECONDS[delay["unit"]] if delay else None,
        **dict.fromkeys(("sent_bytes", "sent_packets", "dropped", "overlimits", "requeues")),
    }
