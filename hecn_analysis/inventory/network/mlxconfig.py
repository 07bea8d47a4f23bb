"""``mlxconfig query`` and ``set``: the card, and the settings of its firmware.

Units and traps
---------------
- With ``-e``, or before a change, there are several columns: default, current and next boot, or next boot and new.
  ``settings`` are those of the column "Current", else of the first one.
- "True(1)" and "ETH(2)" are a word and its number: the word counts.
- What is stored counts after the next start of the machine only.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import labelled

FORMATS: tuple[str, ...] = ("mlxconfig",)
VERSIONS: str = "MFT 4.0 to 4.29, mstflint 4"
COMMANDS: tuple[str, ...] = ("mlxconfig", "mstconfig")
BEGINS: re.Pattern[str] | None = re.compile(r"Device #\d{1,3}:\s*$")
REPEATS: bool = True

_HEADS: Final = re.compile(r"Configurations:\s{1,80}(?P<heads>\S.{0,80})$")
_ROW: Final = re.compile(
    r"[*\s]{0,40}(?P<name>[A-Z][A-Z0-9_]{2,60}(?:\[\d{1,3}(?:\.\.\d{1,3})?\])?)\s{2,60}(?P<cells>\S.{0,160})$"
)
_CELL: Final = re.compile(r"(?P<word>[^()]{1,60})\(\d{1,10}\)$")
_CARD: Final = {"Device type": "model", "Name": "part", "Description": "description", "Device": "device"}


def recognises(output: Output) -> bool:
    """Look for the heads of the settings below a device."""
    return any(map(_HEADS.match, output.lines[:16]))


def read(output: Output) -> Facts:
    """Read the card and its settings."""
    settings: dict[str, str] = {}
    facts = output.facts("mlxconfig", {**dict.fromkeys(_CARD.values()), "settings": settings})
    column: int | None = None
    for number, line in output.numbered():
        if (heads := _HEADS.match(line.rstrip())) is not None:
            names = re.split(r"\s{2,40}", heads["heads"].strip())
            column = names.index("Current") if "Current" in names else 0
        elif column is None:
            if (field := labelled(number, line)) is not None and field.name in _CARD:
                facts.values[_CARD[field.name]] = field.value or None
        elif (row := _ROW.match(line.rstrip())) is not None:
            cells = re.split(r"\s{2,60}", row["cells"])
            cell = cells[min(column, len(cells) - 1)]
            word = _CELL.match(cell)
            settings[row["name"]] = word["word"] if word else cell
    values: dict[str, Any] = facts.values
    values["n_settings"] = len(settings)
    return facts
