"""``lsscsi``: SCSI and NVMe devices with the nodes that they have.

Units and traps
---------------
- Columns have a width, not a separator: 8 characters vendor, 16 model, 4 revision; a model may hold blanks. The type is
  cut to seven characters ("enclosu").
- ``-`` stands for no node. NVMe devices ([N:…]) have the model alone; with -t a transport stands in the place of both.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("lsscsi",)
VERSIONS: str = "lsscsi 0.2 to 0.32"
COMMANDS: tuple[str, ...] = ("lsscsi",)
BEGINS: re.Pattern[str] | None = re.compile(r"\[(?:N|\d{1,4}):\d{1,5}:\d{1,5}:\d{1,8}\]\s")
REPEATS: bool = False

_LINE: Final = re.compile(
    r"\[(?P<hctl>(?:N|\d{1,4}):\d{1,5}:\d{1,5}:\d{1,8})\]\s{1,12}"
    r"(?P<type>[a-z][a-z/ ]{0,6}|\(0x[0-9a-f]{1,2}\))\s{1,8}(?P<rest>\S.{0,300})$"
)
_NODES: Final = re.compile(
    r"(?P<nodes>(?:\s{1,60}(?:/dev/\S{1,60}|-)){1,4})"
    r"(?:\s{1,20}(?P<size>\d{1,9}(?:\.\d{1,4})?[kKMGTP]i?B|-))?\s{0,20}$"
)
_COLUMNS: Final = re.compile(r"(?P<vendor>.{8}) (?P<model>.{16}) (?P<revision>.{4})\s{0,4}$")
_WORDS: Final = re.compile(r"(?P<vendor>\S{1,8})\s+(?P<model>\S.{0,60}?)(?:\s+(?P<revision>\S{1,4}))?\s*$")
_TRANSPORT: Final = re.compile(
    r"(?P<transport>(?:sas|sata|fc|usb|iqn|spi|pcie|sbp|fcoe|srp|nqn)[:.]?\S{0,120}|ata:\S{0,10})"
)

#: What stands in the place of the model with -U.
_IDENTIFIER: Final = re.compile(r"(?:eui|naa|t10|uuid)\.\S{1,120}\s{0,80}$")


def recognises(output: Output) -> bool:
    """Look for a device in brackets."""
    return any(_LINE.match(line) for line in output.lines[:5])


def read(output: Output) -> Facts:
    """Read all devices."""
    devices: list[dict[str, Any]] = []
    for line in output.lines:
        match = _LINE.match(line)
        if match is not None:
            devices.append(_device(match))
    return output.facts("lsscsi", {"n": len(devices), "devices": devices})


def _device(match: re.Match[str]) -> dict[str, Any]:
    nodes = _NODES.search(match["rest"])
    text = match["rest"][: nodes.start()] if nodes else match["rest"].rstrip()
    words = nodes["nodes"].split() if nodes else []
    device: dict[str, Any] = {
        "hctl": match["hctl"],
        "type": match["type"].strip(),
        "vendor": None,
        "model": None,
        "node": words[0] if words and words[0] != "-" else None,
        "size_bytes": amounts.size(nodes["size"], kilo=1000) if nodes and nodes["size"] else None,
    }
    transport = _TRANSPORT.match(text)
    if transport is not None:
        device["transport"] = transport["transport"]
    elif match["hctl"].startswith("N") and not _IDENTIFIER.match(text):
        device["model"] = re.sub(r"__\d{1,4}$", "", text.strip()) or None
    else:
        columns = _COLUMNS.match(text.ljust(30)) or _WORDS.match(text)
        if columns is not None:
            device["vendor"], device["model"] = columns["vendor"].strip() or None, columns["model"].strip() or None
            device["revision"] = (columns["revision"] or "").strip() or None
    return device
