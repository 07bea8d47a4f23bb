"""A piece of ``lspci -vv`` without the line of its device: rate and width of a link that somebody quoted.

Units and traps
---------------
- Nothing says whose link it is. Of several states of a link in the piece, only the first is taken.
- ``LnkSta: … (downgraded)``; ``Width x0`` is a port with nothing behind it.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output

FORMATS: tuple[str, ...] = ("lspci-part",)
VERSIONS: str = "pciutils 3"
COMMANDS: tuple[str, ...] = ()
BEGINS: re.Pattern[str] | None = None
REPEATS: bool = False

_DEVICE: Final = re.compile(r"^[\s>]{0,8}(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ", re.MULTILINE)
_LINK: Final = re.compile(
    r"[\s>]{0,40}(?P<what>LnkCap|LnkSta):\s{1,8}.{0,60}?Speed (?P<gtps>\d{1,3}(?:\.\d)?) ?GT/s(?: \([a-z]{1,16}\))?,? "
    r"Width x(?P<width>\d{1,2})"
)
_PAYLOAD: Final = re.compile(r"[\s>]{0,40}MaxPayload (?P<payload>\d{2,4}) bytes, MaxReadReq (?P<request>\d{2,5}) bytes")
_ANY: Final = re.compile(
    r"[\s>]{0,40}(?:Lnk(?:Cap|Sta|Ctl)\d?|Dev(?:Cap|Sta|Ctl)\d?|Slt(?:Cap|Sta|Ctl)|Kernel driver in use):"
)


def recognises(output: Output) -> bool:
    """Look for a link, and for the line of no device."""
    head = output.head(60)
    is_piece = "Lnk" in head and any(map(_LINK.match, output.lines[:60])) and _DEVICE.search(head) is None
    return is_piece and any(_ANY.match(line) for line in output.lines[:2])


def read(output: Output) -> Facts:
    """Read the first capability and state of a link."""
    names = ("lnkcap_gtps", "lnkcap_width", "lnksta_gtps", "lnksta_width", "max_payload", "max_read_req")
    values: dict[str, Any] = {"address": None, **dict.fromkeys(names)}
    facts = output.facts("lspci-part", values)
    expected = "the line of its device, to know whose link it is"
    facts.problem(output.first, "ambiguous", f"found {output.lines[0].strip()[:60]!r}, expected {expected}")
    for number, line in output.numbered():
        if (link := _LINK.match(line)) is not None:
            name = link["what"].lower()
            if values[f"{name}_width"] is not None:
                left_out = f"found another {link['what']}, expected one link; left out with all below it"
                facts.problem(number, "ambiguous", left_out)
                break
            values[f"{name}_gtps"], values[f"{name}_width"] = float(link["gtps"]), int(link["width"])
        elif (payload := _PAYLOAD.match(line)) is not None:
            values["max_payload"], values["max_read_req"] = int(payload["payload"]), int(payload["request"])
    return facts
