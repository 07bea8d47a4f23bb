"""What is wrong with a port of a switch: duplex, speed, errors of the line, drops.

Each finding is a mapping with the names of `hecn_analysis.inventory.checks.finding.Finding`: check, place, found,
expected, fix, source, and the line that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hecn_analysis.base import units
from hecn_analysis.counters.switches.port import Port

#: Errors or drops in a million packets from which on TCP is slowed down over any distance.
_MANY: Final = 1e-6

_DUPLEX: Final = "IEEE 802.3 clause 28: an end that does not negotiate leaves the other one in half duplex"
_LINE: Final = "IEEE 802.3 clause 4: a frame check that fails is an error of the line, or of duplex"
_DROPS: Final = "RFC 7567: a queue that is full drops what comes in"


def checked(port: Port) -> Iterator[dict[str, object]]:
    """Say what is wrong with a port that is up."""
    values = port.values
    if not values.get("up", True):
        return

    def finding(check: str, at: str, *words: str) -> dict[str, object]:
        texts = dict(zip(("found", "expected", "fix", "source"), words, strict=True))
        return {"check": check, "place": port.interface, **texts, "line": port.lines.get(at, port.line)}

    fix = "let both ends negotiate, or set speed and duplex of both ends alike"
    if values.get("duplex") == "half":
        yield finding("port-duplex", "duplex", "half duplex", "full duplex", fix, _DUPLEX)
    elif values.get("late_collisions"):
        late = f"{values['late_collisions']} late collisions"
        yield finding("port-duplex", "late_collisions", late, "none: the other end is in full duplex", fix, _DUPLEX)
    can, does = port.supported_bps, values.get("speed_bps")
    if can is not None and does is not None and does < 0.999 * can:
        yield finding(
            *("port-slow", "speed_bps", units.format_rate(does), units.format_rate(can)),
            *("cable, optics, and speed settings of both ends", "name or hardware of the port"),
        )
    name = "crc_errors" if values.get("crc_errors") else "in_errors"
    if (errors := values.get(name) or 0) > _MANY * values.get("in_packets", 0):
        what = "CRC errors" if name == "crc_errors" else "input errors"
        yield finding(
            *("port-errors", name, f"{errors} {what}{_of(port, 'in_packets')}", "none"),
            *("clean or change cable and optics; compare duplex with the other end", _LINE),
        )
    if (drops := values.get("out_discards") or 0) > _MANY * values.get("out_packets", 0):
        yield finding(
            *("port-drops", "out_discards", f"{drops} output drops{_of(port, 'out_packets')}", "none"),
            *("a larger buffer or a faster port, or pace the senders", _DROPS),
        )


def _of(port: Port, packets: str) -> str:
    """Of how many packets, where the output says it."""
    return f" in {port.values[packets]} packets" if packets in port.values else ""
