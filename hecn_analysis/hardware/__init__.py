"""Hardware as data: parts, hosts, paths, tools, scenarios and sites, loaded from YAML and validated."""

from hecn_analysis.hardware.description import Library
from hecn_analysis.hardware.host import Array, Bill, Host, Item, Memory, Slot
from hecn_analysis.hardware.parts import Board, Bridge, Controller, Cpu, Disk, Nic, Optic, Part, Switch
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import Scenario, load_scenario
from hecn_analysis.hardware.site import Site
from hecn_analysis.hardware.site_file import load_site
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
    "Site",
    "Slot",
    "Switch",
    "Tool",
    "load_scenario",
    "load_site",
]
