"""Hardware as data: parts, hosts, paths, tools and scenarios, loaded from YAML and validated."""

from hecn_analysis.hardware.description import Library
from hecn_analysis.hardware.host import Array, Bill, Host, Item, Memory, Slot
from hecn_analysis.hardware.parts import Board, Bridge, Controller, Cpu, Disk, Nic, Optic, Part, Switch
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import Scenario, load_scenario
from hecn_analysis.hardware.tool import Tool

__all__ = [
    "Array",
    "Bill",
    "Board",
    "Bridge",
    "Controller",
    "Cpu",
    "Disk",
    "Host",
    "Item",
    "Library",
    "Memory",
    "Nic",
    "Optic",
    "Parameter",
    "Part",
    "Path",
    "Scenario",
    "Slot",
    "Switch",
    "Tool",
    "load_scenario",
]
