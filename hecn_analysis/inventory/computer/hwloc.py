"""hwloc: the topology of a machine, as ``lstopo`` draws it with text and as its XML.

Versions: hwloc 0.9 to 2.12 and 3.0: XML of version 1 (sockets, nodes above them) and 2 (packages, nodes beside them),
the console short and with -v.

Traps
-----
- A link's speed is in GB/s, one way, after coding: 2.0 is x4 of the second generation.
- Sizes in KB, MB, GB are powers of 2.
- Version 1 has no node where a machine has only one; then its memory is the machine's.
- The short console of version 1 names PCI devices by maker and model, without their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from xml.etree.ElementTree import Element

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import address
from hecn_analysis.parsing.amounts import number, size, whole

FORMATS = ("hwloc-console", "hwloc-xml")
VERSIONS = "hwloc 0.9 to 3.0"
COMMANDS = ("lstopo", "lstopo-no-graphics", "hwloc-ls")
BEGINS = re.compile(r"(Machine (?:L#\d{1,4} )?\(|Machine$)|(<\?xml )")
REPEATS = True

_OBJECT: Final = re.compile(r"\b(?P<type>Package|Socket|NUMANode|Core|PU)(?:\(\w{1,20}\))? L?#\d{1,6}\b")
_NODE: Final = re.compile(
    r"NUMANode(?:\(\w{1,20}\))? L?#\d{1,5} \((?:P#\d{1,5} )?(?:local=)?(?P<size>\d{1,16}(?:\.\d{1,3})?[KMGT]i?B)"
)
_MACHINE: Final = re.compile(
    r"Machine (?:L#\d{1,4} )?\((?:P#\d{1,5} )?(?:local=\S{1,20} )?(?:total=)?(?P<size>\d{1,16}(?:\.\d{1,3})?[KMGT]i?B)"
)
_MODEL: Final = re.compile(r'CPUModel="(?P<model>[^"]{1,160})"')
_PRODUCT: Final = re.compile(r'DMIProductName="(?P<product>[^"]{1,120})"')
_PCI: Final = re.compile(
    r"(?P<indent>\s{1,120})PCI (?:L#\d{1,5} \()?(?:busid=)?"
    r"(?P<address>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])(?P<rest>.{0,400})$"
)
_OLD_PCI: Final = re.compile(r"(?P<indent>\s{1,120})PCI (?P<ids>[0-9a-f]{4}:[0-9a-f]{4})(?P<rest>.{0,400})$")
_BUSID: Final = re.compile(r"busid=(?P<address>[0-9a-f:]{5,13}\.[0-9a-f])")
_IDS: Final = re.compile(r"\bid=(?P<ids>[0-9a-f]{4}:[0-9a-f]{4})")
_KIND: Final = re.compile(r"class=[0-9a-f]{4}\((?P<verbose>[^)]{1,40})\)|^ \((?P<short>[^)]{1,40})\)")
_SPEED: Final = re.compile(r"link=(?P<speed>\d{1,4}\.\d{1,4})GB/s")
_DEVICE: Final = re.compile(
    r'(?P<indent>\s{1,120})(?:Net|Network|Block|OpenFabrics|GPU|CoProc|Co-Processor|DMA|Misc)\b[^"]{0,60}"(?P<name>[^"]{1,60})"'
)
_TYPE: Final = re.compile(r"(?P<class>[0-9a-f]{4}) \[(?P<ids>[0-9a-f]{4}:[0-9a-f]{4})\]")
#: Share of the memory that nodes have at least: each is rounded.
_MOST_LOST: Final = 0.9


def recognises(output: Output) -> bool:
    """Whether this is a drawing or the XML of a topology."""
    head = output.head(4)
    if head.lstrip().startswith("<"):
        return "<topology" in head or "hwloc" in head
    drawn = any(_OBJECT.search(line) or "#0" in line for line in output.lines[:20])
    return drawn and any(BEGINS.match(line) for line in output.lines[:3])


def read(output: Output) -> Facts:
    """Packages, nodes, cores, memory and PCI devices."""
    return _xml(output) if output.head(4).lstrip().startswith("<") else _console(output)


def _xml(output: Output) -> Facts:
    facts = output.facts("hwloc-xml")
    root = output.xml
    if root is None:
        facts.problem(
            output.first, "malformed", "found XML that breaks off or is forbidden, expected a topology; left out"
        )
        return facts
    counts = dict.fromkeys(("Package", "Socket", "NUMANode", "Core", "PU"), 0)
    sizes: list[int] = []
    devices: list[dict[str, Any]] = []
    names: list[str] = []
    machine = None
    for element, bridge, device in _objects(root):
        kind = element.get("type", "")
        if kind in counts:
            counts[kind] += 1
        memory = whole(element.get("local_memory"))
        if kind == "NUMANode" and memory is not None:
            sizes.append(memory)
        elif kind in {"Machine", "System"} and machine is None:
            machine = memory
        elif kind == "PCIDev":
            devices.append(_pci_device(element, bridge))
        elif kind == "OSDev" and element.get("name"):
            names.append(element.get("name", ""))
            if device is not None:
                devices[-1].setdefault("os_device", element.get("name"))
    if not sizes and machine:
        sizes.append(machine)
    facts.values = {
        "packages": (counts["Package"] or counts["Socket"]) or None,
        "numa_nodes": counts["NUMANode"] or (1 if sizes else None),
        "cores": counts["Core"] or None,
        "pus": counts["PU"] or None,
        "memory_bytes": sum(sizes) or None,
        "node_size_bytes": sizes,
        "cpu_model": _info(root, "CPUModel"),
        "product": _info(root, "DMIProductName"),
        "devices": devices,
        "os_devices": names,
    }
    return facts


def _objects(root: Element) -> Iterator[tuple[Element, str | None, Element | None]]:
    """Each object with the PCI bridge and the PCI device that it is below."""
    stack: list[tuple[Element, str | None, Element | None]] = [(root, None, None)]
    while stack:
        element, bridge, device = stack.pop()
        if element.tag == "object":
            yield element, bridge, device
            if element.get("type") == "Bridge":
                bridge = element.get("pci_busid") or bridge
            device = element if element.get("type") == "PCIDev" else device
        stack.extend((below, bridge, device) for below in reversed(element) if below.tag in {"object", "topology"})


def _pci_device(element: Element, bridge: str | None) -> dict[str, Any]:
    kind = _TYPE.match(element.get("pci_type", ""))
    speed = number(element.get("pci_link_speed"))
    return {
        "address": address(element.get("pci_busid", "")),
        "class_code": kind["class"] if kind else None,
        "vendor_device": kind["ids"] if kind else None,
        "link_bytes_per_s": speed * 1e9 if speed else None,
        "parent": address(bridge) if bridge else None,
    }


def _info(root: Element, name: str) -> str | None:
    """The first thing that an object says of itself under a name."""
    return next(
        (info.get("value") for info in root.iter("info") if info.get("name") == name and info.get("value")), None
    )


def _console(output: Output) -> Facts:
    facts = output.facts("hwloc-console")
    counts = dict.fromkeys(("Package", "Socket", "NUMANode", "Core", "PU"), 0)
    sizes: list[int | None] = []
    devices: list[dict[str, Any]] = []
    open_at = -1
    for line in output.lines:
        if line.startswith("depth 0:"):
            break
        for match in _OBJECT.finditer(line):
            counts[match["type"]] += 1
        if held := _NODE.search(line):
            sizes.append(size(held["size"]))
        if device := _console_device(line):
            devices.append(device)
            open_at = len(line) - len(line.lstrip())
        elif (named := _DEVICE.match(line)) and devices and len(named["indent"]) > open_at >= 0:
            devices[-1].setdefault("os_device", named["name"])
        elif open_at >= 0 and line.strip() and len(line) - len(line.lstrip()) <= open_at:
            open_at = -1
    machine = next((drawn for line in output.lines[:3] if (drawn := _MACHINE.match(line))), None)
    model, product = _MODEL.search(output.text), _PRODUCT.search(output.text)
    facts.values = {
        "packages": (counts["Package"] or counts["Socket"]) or None,
        "numa_nodes": counts["NUMANode"] or (1 if counts["PU"] else None),
        "cores": counts["Core"] or None,
        "pus": counts["PU"] or None,
        "memory_bytes": size(machine["size"]) if machine else None,
        "node_size_bytes": sizes,
        "cpu_model": model["model"].strip() if model else None,
        "product": product["product"] if product else None,
        "devices": devices,
    }
    drawn, nodes = facts.values["memory_bytes"], sum(held or 0 for held in sizes)
    if drawn and nodes and nodes < _MOST_LOST * drawn:
        found = f"found {nodes / 1e9:.0f} GB in the nodes and {drawn / 1e9:.0f} GB in the machine"
        facts.problem(output.first, "truncated", f"{found}, expected all nodes; the counts are those of what is left")
    return facts


def _console_device(line: str) -> dict[str, Any] | None:
    match = _PCI.match(line) or _OLD_PCI.match(line)
    if match is None:
        return None
    rest = match["rest"]
    named = match.groupdict()
    busid, kind, ids, speed = _BUSID.search(rest), _KIND.search(rest), _IDS.search(rest), _SPEED.search(rest)
    place = named.get("address") or (busid["address"] if busid else None)
    return {
        "address": address(place) if place else None,
        "kind": (kind["verbose"] or kind["short"]) if kind else None,
        "vendor_device": named.get("ids") or (ids["ids"] if ids else None),
        "link_bytes_per_s": float(speed["speed"]) * 1e9 if speed else None,
    }
