"""What takes part in a transfer: its two ends, its path and its tool."""

from __future__ import annotations

from dataclasses import dataclass

from hecn_analysis.hardware.host import Host
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.tool import Tool


@dataclass(frozen=True)
class Transfer:
    """The parts of a transfer; `sender` or `receiver` is None if the tool has no such end (dd has one of the two)."""

    sender: Host | None
    receiver: Host | None
    path: Path
    tool: Tool
