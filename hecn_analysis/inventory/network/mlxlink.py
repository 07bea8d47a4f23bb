"""``mlxlink``: the link of a port of an NVIDIA or Mellanox card, with its errors.

Versions: MFT 4.9 to 4.29.

Units and traps
---------------
- "Speed : 100G" of Ethernet is the rate of the port; that of InfiniBand is a name: "IB-EDR".
- A speed below the fastest one that the port supports, errors after correction (effective), and a reason why the link
  is down stand in other sections; raw errors before the correction are usual.
- "N/A" is missing, not 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, all_labelled

FORMATS: tuple[str, ...] = ("mlxlink",)
VERSIONS: str = "MFT 4.9 to 4.29"
COMMANDS: tuple[str, ...] = ("mlxlink",)
BEGINS: re.Pattern[str] | None = re.compile(r"Operational Info\s{0,8}$")
REPEATS: bool = True

_ETHERNET: Final = re.compile(r"(?P<number>\d{1,4}(?:\.\d)?)G(?:bE)?(?:_\dX)?$")
_NAMED: Final = {"IB-SDR": 1e10, "IB-QDR": 4e10, "IB-FDR": 56e9, "IB-EDR": 1e11, "IB-HDR": 2e11, "IB-NDR": 4e11}
_TEXTS: Final = {
    "State": "state",
    "Physical state": "physical_state",
    "Width": "width",
    "FEC": "fec",
    "Auto Negotiation": "autonegotiation",
    "Status Opcode": "status_opcode",
    "Recommendation": "recommendation",
    "Loopback Mode": "loopback",
    "Group Opcode": "group",
}
_NUMBERS: Final = {
    "Effective Physical Errors": "effective_errors",
    "Raw Physical Errors Per Lane": "raw_errors",
    "Effective Physical BER": "effective_ber",
    "Raw Physical BER": "raw_ber",
    "Symbol Errors": "symbol_errors",
    "Link Down Counter": "link_downs",
    "Link Error Recovery Counter": "link_recoveries",
}


def recognises(output: Output) -> bool:
    """Look for the first section and the state of the port."""
    head = output.head(12)
    return "Operational Info" in head and "Physical state" in head


def read(output: Output) -> Facts:
    """Read what runs, and the errors."""
    values: dict[str, Any] = dict.fromkeys(("state", "physical_state", "speed_bps", "supported_max_bps"))
    facts = output.facts("mlxlink", values)
    for field in _labelled(output):
        text = re.sub(r"\x1b\[[\d;]{0,12}m", "", field.value).strip()
        if text in ("", "N/A"):
            continue
        if field.name == "Speed":
            values["speed_bps"] = _speed(text)
        elif field.name.startswith(("Supported Cable Speed", "Enabled Link Speed")):
            speeds = [speed for word in re.split(r"[,\s]\s?", field.value[:300]) if (speed := _speed(word)) is not None]
            name = "supported_max_bps" if field.name.startswith("Supported") else "enabled_max_bps"
            values[name] = max(speeds, default=None)
        elif field.name in _TEXTS:
            values[_TEXTS[field.name]] = text
        elif field.name in _NUMBERS:
            try:
                values[_NUMBERS[field.name]] = sum(float(part) for part in text[:200].split(","))
            except ValueError:
                facts.problem(field.number, "malformed", f"found {text[:60]!r}, expected a number; left out")
    return facts


def _labelled(output: Output) -> Iterator[Labelled]:
    """Labels and values, of ``--json`` too, where a list of speeds is an object with a mask."""
    if not any(line.lstrip().startswith('"') for line in output.lines[:3]) and not output.json:
        yield from all_labelled(output.numbered())
        return
    level: list[object] = list(output.json)
    for _ in range(4):
        below: list[object] = []
        for item in (item for item in level if isinstance(item, dict)):
            for name, value in item.items():
                listed = value.get("values") if isinstance(value, dict) else value
                text = ",".join(map(str, listed)) if isinstance(listed, list) else str(value)
                if isinstance(value, dict) and not isinstance(listed, list):
                    below.append(value)
                else:
                    yield Labelled(output.first, 0, str(name), text)
        level = below


def _speed(text: str) -> float | None:
    """The rate of a speed as mlxlink prints it. [bit/s]."""
    match = _ETHERNET.match(text.strip("(),"))
    return float(match["number"]) * 1e9 if match else _NAMED.get(text.strip("(),"))
