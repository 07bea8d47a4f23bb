"""``dmidecode``: what the firmware says of the system, its memory modules and its slots.

Versions: dmidecode 2.7 to 3.6, whole or some types only (``-t memory``, ``-q``).

Traps
-----
- "Speed: 1600 MHz" is MT/s, as younger versions write. `speed_mtps` is what the modules can do, `configured_mtps` what
  they run at.
- Sizes in kB, MB, GB are powers of 2. "No Module Installed" is an empty place; flash with the firmware is no memory.
- "x8 PCI Express 3 x16" is a slot of 8 lanes of generation 3 in a connector for 16. Slots that the firmware calls
  available may hold a card, and the reverse; without a number there is no generation.
- What a firmware says may be wrong or made up by a hypervisor: `virtual` says that there is one.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import address
from hecn_analysis.parsing.amounts import size, whole

FORMATS = ("dmidecode",)
VERSIONS = "dmidecode 2.7 to 3.6"
COMMANDS = ("dmidecode", "biosdecode")
_QUIET: Final = r"(?:Memory Device|(?:Processor|System|BIOS|Base Board|System Slot) Information)\s*\n\t(?=[A-Z])"
BEGINS = re.compile(rf"# dmidecode (?=\d)|Getting SMBIOS data from|SMBIOS \d{{1,2}}\.\d{{1,2}} present|(?={_QUIET})")
REPEATS = False

_HANDLE: Final = re.compile(r"Handle 0x[0-9A-Fa-f]{1,8}(?:, DMI type (?P<type>\d{1,3}))?")
_FIELD: Final = re.compile(r"(?:\t{1,2}| {1,16})(?P<name>[A-Z][\w /()-]{1,50}):\s?(?P<value>.{0,300})$")
_SPEED: Final = re.compile(r"(?P<number>\d{1,6}) (?:MHz|MT/s)")
_SLOT: Final = re.compile(
    r"(?:x(?P<wired>\d{1,2}) )?PCI Express(?: (?:Gen ?)?(?P<gen>\d))?(?: x(?P<room>\d{1,2}))?", re.IGNORECASE
)
_WIDTH: Final = re.compile(r"x?(?P<lanes>\d{1,2})x?(?: |$)")
_HYPERVISORS: Final = (
    "QEMU", "VMware", "VirtualBox", "innotek", "Xen", "Bochs", "KVM", "Virtual Machine", "OpenStack", "Google Compute",
    "HVM domU", "BHYVE", "Parallels", "oVirt", "RHEV", "Standard PC", "Nutanix", "Alibaba Cloud ECS",
)  # fmt: skip
_NO_MEMORY: Final = frozenset({"Flash", "EEPROM", "ROM"})
_UNTOLD: Final = frozenset({"Unknown", "Other", "<OUT OF SPEC>"})
_VIRTUAL: Final = "System is a virtual machine"

Record = dict[str, str]


def recognises(output: Output) -> bool:
    """Whether the first lines say so, or are a record."""
    head = output.head(12)
    if re.search(r"^# dmidecode \d", head, re.MULTILINE):
        return True
    if re.search(r"^SMBIOS \d{1,2}\.\d{1,2}(?:\.\d)? present", head, re.MULTILINE):
        return "Handle 0x" in output.text  # the kernel's log has the first line, too
    return (
        re.search(rf"^(?:Handle 0x[0-9A-F]{{4}}(?:, DMI type|\n\s{{1,8}}DMI type)|{_QUIET})", head, re.MULTILINE)
        is not None
    )


def read(output: Output) -> Facts:
    """The product, its memory and its slots."""
    facts = output.facts("dmidecode")
    records = _records(output)
    system = next((record for kind, record in records if kind == "System Information"), {})
    bios = next((record for kind, record in records if kind == "BIOS Information"), {})
    values = facts.values
    values["product"] = system.get("Product Name") or None
    values["manufacturer"] = system.get("Manufacturer") or None
    known = f"{system.get('Manufacturer')} {system.get('Product Name')} {bios.get('Vendor')}"
    values["virtual"] = None
    if system or bios:
        values["virtual"] = any(name in known for name in _HYPERVISORS) or _VIRTUAL in output.text
    _memory(values, [record for kind, record in records if kind == "Memory Device"])
    values["slots"] = [_slot(record) for kind, record in records if kind == "System Slot Information"]
    values["processors"] = [_processor(record) for kind, record in records if kind == "Processor Information"]
    if any("Permission denied" in line for line in output.lines[:12]):
        facts.problem(output.first, "aborted", "found 'Permission denied', expected what root sees; left out")
    return facts


def _records(output: Output) -> list[tuple[str, Record]]:
    """Name and fields of each structure; a field in a list below another is left out."""
    records: list[tuple[str, Record]] = []
    awaited = re.match(_QUIET, output.text) is not None  # whose handle ends what was cut off above
    is_quiet = "Handle 0x" not in output.text  # -q leaves out the handles
    for line in output.lines:
        if _HANDLE.match(line) or (is_quiet and line.strip() and not line[0].isspace()):
            awaited = True
        if is_quiet and awaited and line.strip():
            records.append((line.strip(), {}))
            awaited = False
        elif _HANDLE.match(line):
            continue
        elif awaited and line.strip() and not line.strip().startswith("DMI type"):
            records.append((line.strip().removesuffix(" Block"), {}))
            awaited = False
        elif records and not awaited and (field := _FIELD.match(line)):
            records[-1][1].setdefault(field["name"].strip(), field["value"].strip())
    return records


def _memory(values: dict[str, Any], records: list[Record]) -> None:
    modules = []
    places = 0
    for record in records:
        if record.get("Type") in _NO_MEMORY:
            continue
        places += 1
        held = size(record.get("Size"))
        if held:
            modules.append((held, record))
    values["n_slots"] = places or None
    values["n_dimms"] = len(modules) if places else None
    values["memory_bytes"] = sum(held for held, _ in modules) or None
    values["dimm_bytes"] = _most([held for held, _ in modules])
    values["speed_mtps"] = _most([_speed(record.get("Speed")) for _, record in modules])
    configured = [
        _speed(record.get("Configured Memory Speed") or record.get("Configured Clock Speed")) for _, record in modules
    ]
    values["configured_mtps"] = _most(configured)
    values["type"] = _most([record.get("Type") for _, record in modules if record.get("Type") not in _UNTOLD])
    values["modules"] = [
        {"locator": record.get("Locator"), "bank": record.get("Bank Locator"), "bytes": held}
        for held, record in modules
    ]
    values["empty"] = [
        {"locator": record.get("Locator"), "bank": record.get("Bank Locator")}
        for record in records
        if record.get("Type") not in _NO_MEMORY and not size(record.get("Size"))
    ]


def _most(values: list[Any]) -> Any:  # noqa: ANN401 - whatever was counted
    """What most modules have; None where none says."""
    counts = Counter(value for value in values if value is not None)
    return counts.most_common(1)[0][0] if counts else None


def _speed(text: str | None) -> int | None:
    match = _SPEED.match(text or "")
    return int(match["number"]) if match else None


def _slot(record: Record) -> dict[str, Any]:
    kind, usage = record.get("Type", ""), record.get("Current Usage")
    match = _SLOT.search(kind)
    lanes = whole(match["wired"] or match["room"]) if match else None
    wired = _WIDTH.match(record.get("Data Bus Width", ""))
    place = record.get("Bus Address")
    return {
        "name": record.get("Designation"),
        "type": kind or None,
        "gen": whole(match["gen"]) if match else None,
        "width": lanes or (int(wired["lanes"]) if wired else None),
        "room": whole(match["room"]) if match else None,
        "in_use": usage == "In Use" if usage in {"In Use", "Available", "Unavailable"} else None,
        "address": address(place) if place and re.fullmatch(r"[0-9a-f:]{5,12}\.[0-9a-f]", place) else None,
    }


def _processor(record: Record) -> dict[str, Any]:
    return {
        "socket": record.get("Socket Designation"),
        "model": record.get("Version"),
        "cores": whole(record.get("Core Count")),
        "cores_enabled": whole(record.get("Core Enabled")),
        "mhz_max": _speed(record.get("Max Speed")),
        "mhz": _speed(record.get("Current Speed")),
        "populated": record.get("Status", "").startswith("Populated") if record.get("Status") else None,
    }
