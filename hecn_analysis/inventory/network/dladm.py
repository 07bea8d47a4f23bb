"""``dladm`` of Solaris and illumos: ``show-phys``, ``show-link``, ``show-ether`` and, of Solaris 10, ``show-dev``.

Units and traps
---------------
- "SPEED" is Mb/s; 0 of a link that is down is missing here. "show-link" has the MTU, and no rate.
- Infiniband's 32000 is what 4X QDR carries after its coding.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import whole

FORMATS: tuple[str, ...] = ("dladm",)
VERSIONS: str = "Solaris 10 and 11, illumos"
COMMANDS: tuple[str, ...] = ("dladm",)
_DEV: Final = r"[\w.]{1,32}\s{1,20}link: (?:up|down|unknown)\s{1,12}speed: \d"
_TABLE: Final = r"LINK\s{1,40}(?:MEDIA|CLASS|PTYPE)\s"
BEGINS: re.Pattern[str] | None = re.compile(rf"({_TABLE})|(?={_DEV})")
REPEATS: bool = True

_ROW: Final = re.compile(
    r"(?P<link>[\w.]{1,32})\s{1,20}link: (?P<state>up|down|unknown)\s{1,12}speed: (?P<speed>\d{1,7})\s{1,8}Mbps"
    r"\s{1,12}duplex: (?P<duplex>full|half|unknown)"
)
_FIELDS: Final = {"STATE": "state", "DUPLEX": "duplex", "DEVICE": "device", "MEDIA": "media", "CLASS": "class"}
_SPEED_DUPLEX: Final = re.compile(r"(?P<number>\d{1,4}(?:\.\d)?)(?P<unit>[GM])-(?P<duplex>[fh])$")


def recognises(output: Output) -> bool:
    """Look for the heads, or a row of Solaris 10."""
    return BEGINS is not None and BEGINS.match(output.lines[0]) is not None


def read(output: Output) -> Facts:
    """Read all links."""
    links: list[dict[str, Any]] = []
    facts = output.facts("dladm", {"interfaces": links})
    heads = output.lines[0].split() if output.lines[0].startswith("LINK") else []
    for number, line in output.numbered():
        words = line.split()
        if not words:
            break
        if (row := _ROW.match(line)) is not None:
            links.append(_link(row["link"], state=row["state"], duplex=row["duplex"], speed=row["speed"]))
        elif words[0] != "LINK" and heads:
            cells = dict(zip(heads, words, strict=False))
            if len(words) < len(heads) - 1:
                message = f"found {line.strip()[:80]!r}, expected {len(heads)} cells; left out"
                facts.problem(number, "malformed", message)
                continue
            known = {name: cells.get(head) for head, name in _FIELDS.items() if head in heads}
            links.append(
                _link(
                    cells["LINK"],
                    **known,
                    speed=cells.get("SPEED"),
                    mtu=cells.get("MTU"),
                    both=cells.get("SPEED-DUPLEX"),
                )
            )
    return facts


def _link(
    name: str, *, speed: str | None = None, mtu: str | None = None, both: str | None = None, **texts: str | None
) -> dict[str, Any]:
    """A link by its cells."""
    link: dict[str, Any] = {"name": name, "mtu": whole(mtu), "speed_bps": None, **texts}
    link["up"] = {"up": True, "down": False}.get(str(texts.get("state")))
    link["duplex"] = {"full": "full", "half": "half"}.get(str(texts.get("duplex")))
    if (match := _SPEED_DUPLEX.match(both or "")) is not None:
        link["speed_bps"] = float(match["number"]) * (1e9 if match["unit"] == "G" else 1e6)
        link["duplex"] = "full" if match["duplex"] == "f" else "half"
    elif whole(speed):
        link["speed_bps"] = (whole(speed) or 0) * 1e6
    return link
