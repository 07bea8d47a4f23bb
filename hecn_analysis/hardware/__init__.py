"""Hardware as data: parts, hosts, paths, tools and scenarios, loaded from YAML and validated."""

from hecn_analysis.hardware.description import Library
from hecn_analysis.hardware.host import Array, Host, Memory, Slot
from hecn_analysis.hardware.parts import Controller, Cpu, Disk, Nic
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import Scenario, load_scenario
from hecn_analysis.hardware.tool import Tool

__all__ = [
    "Array",
    "Controller",
    "Cpu",
    "Disk",
    "Host",
    "Library",
    "Memory",
    "Nic",
    "Parameter",
    "Path",
    "Scenario",
    "Slot",
    "Tool",
    "load_scenario",
]
