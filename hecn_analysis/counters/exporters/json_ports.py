"""JSON with an object for each port: what scripts and libraries make of counters (NAPALM, PyEZ, psutil, Docker).

Versions: any objects with a counter or a rate for both directions, by names such as ``rx_bytes`` and ``tx_bytes``.

Units and traps
---------------
- The name of a port is the key of its object, or its field "interface", "name" or "ifname".
- "bytes" and "octets" are counters, "bps" are rates in bit/s. Rates in bytes a second have no name that says so.
- Keys such as "net" or "statistics" are no names: such a port has none.
- Nothing says when the counters were read: the time is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.json_parts import values_of
from hecn_analysis.counters.programs.readings import width
from hecn_analysis.files.documents import Document

FORMATS: Final = ("json-ports",)
VERSIONS: Final = "NAPALM, PyEZ, psutil, Docker"
WHOLE: Final = False

_WAYS: Final = {"in": ("rx", "in", "recv", "received"), "out": ("tx", "out", "sent", "transmitted")}
_WHAT: Final = {
    "octets": ("bytes", "octets"),
    "packets": ("packets", "pkts"),
    "errors": ("errors", "errs"),
    "discards": ("dropped", "drops", "drop", "discards"),
    "bps": ("bps", "bits_per_sec"),
}
_KEYS: Final = {
    key: f"{way}_{what}"
    for way, ways in _WAYS.items()
    for what, whats in _WHAT.items()
    for one in ways
    for other in whats
    for key in (f"{one}_{other}", f"{other}_{one}", f"{one}{other}", f"{other}{one}")
} | {"errin": "in_errors", "errout": "out_errors", "dropin": "in_discards", "dropout": "out_discards"}
_NO_NAMES: Final = frozenset(
    {"net", "network", "counters", "statistics", "stats", "stats64", "traffic", "total", "data"}
)
_HINT: Final = re.compile(
    r'"(?:[rt]x|in|out)_?(?:bytes|octets|bps)"\s*:|"bytes_(?:recv|sent|in|out)"\s*:|"(?:in|out|[rt]x)(?:Octets|Bytes)"\s*:'
)


def recognises(document: Document) -> bool:
    """Whether an object has a counter or a rate of both directions."""
    if not document.start.lstrip().startswith(("{", "[")) or not _HINT.search(document.start):
        return False
    return document.json is not None and any(True for _ in _ports(document.json, None))


def _ports(value: Any, name: str | None) -> Iterator[tuple[str | None, dict[str, Any]]]:  # noqa: ANN401 - of any JSON
    """Yield names and columns of the objects with counters of both directions."""
    stack = [(value, name)]
    while stack:
        each, name = stack.pop()
        if isinstance(each, list):
            stack += [(item, name) for item in reversed(each)]
        elif isinstance(each, dict):
            row = {
                column: number
                for key, number in each.items()
                if (column := _KEYS.get(str(key).lower())) and isinstance(number, int) and not isinstance(number, bool)
            }
            if any(f"in_{what}" in row and f"out_{what}" in row for what in ("octets", "bps")):
                own = next(
                    (each[key] for key in ("interface", "ifname", "name") if isinstance(each.get(key), str)), name
                )
                yield None if own in _NO_NAMES else own, row
            else:
                stack += [(item, str(key)) for key, item in reversed(each.items())]


def read(document: Document, findings: CounterFindings) -> None:
    """Read all ports."""
    findings.format = "json-ports"
    for value in values_of(document, findings):
        for name, row in _ports(value, None):
            rates = {key: float(row[key]) for key in ("in_bps", "out_bps") if key in row}
            counts = {key: number for key, number in row.items() if key not in rates}
            if counts:
                findings.sample(interface=name, **counts, counter_bits=width(counts))
            if rates:
                findings.rate(interface=name, **rates)
