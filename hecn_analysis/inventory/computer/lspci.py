r"""``lspci``: the devices on the PCI buses, their links and what is set in them.

Versions: pciutils 2.1 to 3.13, in all forms: plain, -n, -nn, -k, -v to -vvv, -t, -mm, -vmm, and hexadecimal dumps
(-x to -xxxx), whose configuration space is decoded here.

Traps
-----
- MaxPayload stands in DevCap (what the device can) and in DevCtl (what is set); `max_payload` is the latter.
- "(ok)" and "(downgraded)" are younger than pciutils 3.6 and often missing where a link is slow: LnkCap and LnkSta are
  compared instead, by the caller. Virtual functions have a LnkSta of "Speed unknown, Width x0".
- Without root the capabilities are "<access denied>": the fact `access_denied` says so.
- pciutils 2 writes "Link: Supported Speed 2.5Gb/s" for LnkCap and "Link: Speed 2.5Gb/s" for LnkSta, 2.5 GT/s both.
- A name of a driver can hold a blank. Tabs may have become blanks. A device without a name is "Device 1234".
- Addresses have a domain only where the machine has several, or -D asked for it; here they always have one.
- Mail breaks long lines and may take the margin of all: below a device, a line at the margin is a detail where it
  begins as one, and goes on with the line above where it does not.
- People print the lines of a device's link alone (``lspci -vv -s 03:00.0 | grep Lnk``): the command says of which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from hecn_analysis.inventory.computer import pci_config
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import address
from hecn_analysis.parsing.amounts import whole

FORMATS = ("lspci", "lspci-k", "lspci-mm", "lspci-nnmmv", "lspci-tv", "lspci-vmmkn", "lspci-vvv", "lspci-xxx")
VERSIONS = "pciutils 2.1 to 3.13"
COMMANDS = ("lspci",)

_ADDRESS: Final = r"(?:[0-9a-fA-F]{2,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]"
_CLASS: Final = r"(?:[A-Z0-9][\w /,.()+'-]{1,60}?(?: \[[0-9a-f]{4}\])?|(?:Class )?\[?[0-9a-f]{4}\]?): \S"
_DEVICE: Final = re.compile(
    rf"(?P<address>{_ADDRESS}) (?:(?:Class )?\[?(?P<bare>[0-9a-f]{{4}})\]?"
    r"|(?P<class>[A-Z0-9][\w /,.()+'-]{1,60}?)(?: ?\[(?P<code>[0-9a-f]{4})\])?)"
    r": (?P<name>.{1,400})$"
)
_MM: Final = re.compile(rf'(?P<address>{_ADDRESS}) (?P<fields>"[^"]{{0,200}}" .{{1,600}})$')
_TREE: Final = re.compile(r"-(?:\+-)?\[(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}(?:-[0-9a-f]{2})?\]-")
BEGINS = re.compile(
    rf"({_ADDRESS} (?={_CLASS}))|({_ADDRESS} (?=\"[^\"]{{1,80}}\" \"))"
    r"|(-(?:\+-)?\[(?:[0-9a-f]{4,8}:)?[0-9a-f]{2})"
    rf"|((?:Slot|Device):\s{{1,40}}{_ADDRESS}$)"
)
REPEATS = False

_IDS: Final = re.compile(r"\[(?P<ids>[0-9a-f]{4}:[0-9a-f]{4})\]")
_BARE_IDS: Final = re.compile(r"(?:Device )?(?P<ids>[0-9a-f]{4}:[0-9a-f]{4})(?:\s|$)")
_TAIL: Final = re.compile(r"(?:\s\((?:rev [0-9a-f]{2}|prog-if [^)]{0,80})\)){1,4}\s*$")
_HEX: Final = re.compile(r"(?P<place>[0-9a-f]{2,3}): (?P<bytes>[0-9a-f]{2}(?: [0-9a-f]{2}){0,15})\s*$")
_REGISTER: Final = re.compile(
    r"\s{1,40}(?P<name>DevCap2?|DevCtl2?|DevSta|LnkCap2?|LnkCtl[23]?|LnkSta2?|SltCap2?|SltCtl|SltSta|RootCap"
    r"|RootCtl|RootSta|Device|Link):\s(?P<rest>.*)$"
)
_FIELD: Final = re.compile(r"\s{1,40}(?P<name>[A-Z][\w /-]{1,30}):\s{0,8}(?P<value>.{0,400})$")
_CAPABILITY: Final = re.compile(r"\s{1,40}Capabilities: (?:\[[^\]]{1,20}\] )?(?P<name>.{1,200})$")
_EXPRESS: Final = re.compile(
    r"Express (?:\(v\d+\) )?(?P<type>[A-Z][\w /-]{2,40}?)(?: \(Slot(?P<slot>[+-])\))?(?:,| IRQ|$)"
)
_PAYLOAD: Final = re.compile(r"\bMaxPayload (?P<bytes>\d{1,5}) bytes(?:, MaxReadReq (?P<read>\d{1,5}) bytes)?")
_READ: Final = re.compile(r"\bMaxReadReq (?P<read>\d{1,5}) bytes")
_LINK: Final = re.compile(
    r"\bSpeed (?P<speed>\d{1,3}(?:\.\d)?|unknown|<unknown>)(?:G[TB]/s|Gb/s)?(?: \(\w{1,12}\))?"
    r", Width x(?P<width>\d{1,2})"
)
_BUS: Final = re.compile(
    r"primary=[0-9a-f]{2}, secondary=(?P<secondary>[0-9a-f]{2}), subordinate=(?P<last>[0-9a-f]{2})"
)
_SLOT: Final = re.compile(r"Slot #(?P<number>\d{1,5})")
_X_STATUS: Final = re.compile(r"Dev=\S{1,20} 64bit(?P<wide>[+-]) 133MHz(?P<fast>[+-])")
_X_LIMITS: Final = re.compile(r"DMMRBC=(?P<bytes>\d{1,5}) DMOST=(?P<number>\d{1,3})")
_X_COMMAND: Final = re.compile(r"RBC=(?P<bytes>\d{1,5}) OST=(?P<number>\d{1,3})")
_X_SECONDARY: Final = re.compile(
    r"Secondary Status: 64bit(?P<wide>[+-]) 133MHz(?P<fast>[+-]).{0,40}Freq=(?P<clock>\w{1,10})"
)
_TREE_TOKEN: Final = re.compile(
    r"[\s|+`\\-]*(?:\[(?:(?P<domain>[0-9a-f]{4,8}):)?(?P<bus>[0-9a-f]{2})(?:-[0-9a-f]{2})?\]"
    r"|(?P<device>[0-9a-f]{2})\.(?P<function>[0-7])(?=$|[\s-]))"
)
_LISTS: Final = {
    "ethernet": ("0200", "Ethernet controller"),
    "infiniband": ("0207", "Infiniband controller"),
    "nvme": ("0108", "Non-Volatile memory controller"),
    "raid": ("0104", "RAID bus controller"),
    "sas": ("0107", "Serial Attached SCSI controller"),
    "fibre_channel": ("0c04", "Fibre Channel"),
}
_VERBOSE: Final = ("\tControl:", "\tFlags:", "\tCapabilities:", "\tStatus:", "\tLnkCap:", "\tLnkSta:")
_DETAIL: Final = re.compile(
    r"(?:(?:Dev|Lnk|Slt|Root)(?:Cap|Ctl|Sta)\d?|Subsystem|Control|Status|Flags|Latency|Interrupt|NUMA node|Region \d"
    r"|Capabilities|Kernel (?:driver in use|modules)|Physical Slot|IOMMU group|Bus|Memory behind bridge):\s"
)
_LINK_LINE: Final = re.compile(r"\s{0,40}Lnk(?:Cap|Sta):\s{1,8}.{0,60}\bWidth x\d")
_OF_ONE: Final = re.compile(rf"(?:^|\s)-s ?(?P<address>{_ADDRESS})(?:\s|$)")
_LONGEST: Final = 1000
_BROKEN: Final = 50  # shorter lines of devices are whole
_ERRORS: Final = ("pcilib:", "lspci:")  # what goes to the standard error stands between the lines

Device = dict[str, Any]


def recognises(output: Output) -> bool:
    """Whether a line among the first is a device, a record or the root of a tree."""
    if _is_records(output):
        return True
    for line in output.lines[:20]:
        if BEGINS.match(line):
            return _DEVICE.match(line) is not None or _MM.match(line) is not None or _TREE.match(line) is not None
    return _only(output) is not None


def _is_records(output: Output) -> bool:
    head = output.head()
    return re.search(rf"^(?:Slot|Device):\s{{1,40}}{_ADDRESS}$", head, re.MULTILINE) is not None and "Class:" in head


def _only(output: Output) -> str | None:
    """The address of the only device whose links are printed, without the line that names it."""
    match = _OF_ONE.search(" ".join(output.command)) if output.command[:1] == ("lspci",) else None
    return match["address"] if match and any(map(_LINK_LINE.match, output.lines[:20])) else None


def read(output: Output) -> Facts:
    """The devices, and lists of those that matter for transfers."""
    if _is_records(output):
        return _finish(_records(output))
    first = next((line for line in output.lines if BEGINS.match(line)), "")
    if _TREE.match(first):
        return _tree(output)
    return _finish(_mm(output) if _MM.match(first) else _text(output))


def _finish(facts: Facts) -> Facts:
    """Count the devices and list those of some classes."""
    devices = facts.values["devices"]
    facts.values["n_devices"] = len(devices)
    for name, (code, words) in _LISTS.items():
        facts.values[name] = [
            device["address"] for device in devices if device.get("class_code") == code or device.get("class") == words
        ]
    facts.values["n_nvme"] = len(facts.values["nvme"])
    return facts


def _text(output: Output) -> Facts:
    """The text forms, and dumps."""
    facts = output.facts("lspci", {"devices": []})
    devices: list[Device] = facts.values["devices"]
    dumps: list[bytearray] = []
    seen = {"verbose": False, "short": False}
    state = _State()
    if not any(map(_DEVICE.match, output.lines[:20])) and (only := _only(output)) is not None:
        devices.append({"address": address(only), **dict.fromkeys(("class", "class_code", "vendor_device", "name"))})
        dumps.append(bytearray())
    for number, line in _unbroken(output):
        if match := _DEVICE.match(line):
            devices.append(_device(match))
            dumps.append(bytearray())
            state = _State()
        elif devices and (match := _HEX.match(line)):
            _dump(facts, dumps[-1], number, match)
        elif devices and line[:1] in {" ", "\t"}:
            seen["verbose"] = seen["verbose"] or ("\t" + line.lstrip()).startswith(_VERBOSE)
            seen["short"] = True
            _verbose_line(devices[-1], line, state)
    for device, content in zip(devices, dumps, strict=True):
        decoded = pci_config.decode(bytes(content))
        device.update({name: value for name, value in decoded.items() if device.get(name) is None})
    if any(device.pop("denied", False) for device in devices):
        facts.values["access_denied"] = True
    dumped = "lspci-xxx" if any(dumps) else "lspci-k" if seen["short"] else "lspci"
    facts.format = "lspci-vvv" if seen["verbose"] else dumped
    return facts


def _unbroken(output: Output) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, those that were broken joined again, details at the margin moved from it."""
    kept: tuple[int, str] | None = None
    for number, line in output.numbered():
        detail = line[:1] not in {" ", "\t"} and _DETAIL.match(line) is not None
        begins = detail or not line.strip() or line[0] in " \t" or _DEVICE.match(line) or _HEX.match(line)
        if not begins and kept is not None and kept[1].strip():
            if not any(map(str.isalnum, line)):
                yield kept  # a rule below the output
                kept = None
            elif _LONGEST > len(kept[1]) > (0 if kept[1][0] in " \t" else _BROKEN) and not line.startswith(_ERRORS):
                kept = (kept[0], f"{kept[1]} {line}")
            continue
        if kept is not None:
            yield kept
        kept = (number, f"\t\t{line}" if detail else line)
    if kept is not None:
        yield kept


def _dump(facts: Facts, dump: bytearray, number: int, match: re.Match[str]) -> None:
    """Put bytes behind those of their device."""
    place = int(match["place"], 16)
    if place == len(dump):
        dump += bytes.fromhex(match["bytes"])
    elif place > len(dump):
        message = f"found {match[0][:20]!r}, expected the byte {len(dump):x}; left out"
        facts.problem(number, "truncated", message)


def _device(match: re.Match[str]) -> Device:
    """What the first line of a device says."""
    name = match["name"]
    ids = list(_IDS.finditer(name))
    bare = _BARE_IDS.match(name)
    return {
        "address": address(match["address"]),
        "class": match["class"],
        "class_code": match["bare"] or match["code"],
        "vendor_device": ids[-1]["ids"] if ids else bare["ids"] if bare else None,
        "name": re.sub(r"\s?\[[0-9a-f]{4}:[0-9a-f]{4}\]", "", _TAIL.sub("", name)).strip(),
    }


class _State:
    """Where in the text of a device a line stands."""

    def __init__(self) -> None:
        self.register = ""
        self.capability = ""


def _verbose_line(device: Device, line: str, state: _State) -> None:
    if match := _CAPABILITY.match(line):
        state.capability, state.register = match["name"], ""
        if match["name"].startswith("<access denied>"):
            device["denied"] = True
        if express := _EXPRESS.match(match["name"]):
            device["express_type"] = express["type"]
        return
    if match := _REGISTER.match(line):
        name, rest = match["name"], match["rest"]
        if name in {"Device", "Link"}:  # pciutils 2
            name = {"Device": "Dev", "Link": "Lnk"}[name] + ("Cap" if "Supported" in rest else "Sta")
            name = "DevCtl" if name == "DevSta" and "Max" in rest else name
        state.register = name
        _register(device, name, rest)
    elif state.register in {"DevCap", "DevCtl", "LnkCap", "LnkSta", "SltCap"} and _FIELD.match(line) is None:
        _register(device, state.register, line)
    elif state.capability.startswith("PCI-X"):
        _pci_x(device, line)
    if match := _FIELD.match(line):
        _field(device, match["name"], match["value"].strip())


def _register(device: Device, name: str, rest: str) -> None:
    if name == "DevCap" and (match := _PAYLOAD.search(rest)):
        device.setdefault("max_payload_cap", int(match["bytes"]))
    elif name == "DevCtl":
        if match := _PAYLOAD.search(rest):
            device.setdefault("max_payload", int(match["bytes"]))
        if match := _READ.search(rest):
            device.setdefault("max_read_req", int(match["read"]))
    elif name in {"LnkCap", "LnkSta"} and (match := _LINK.search(rest)):
        speed = None if "unknown" in match["speed"] else float(match["speed"])
        device.setdefault(f"{name.lower()}_gtps", int(speed) if speed is not None and speed.is_integer() else speed)
        device.setdefault(f"{name.lower()}_width", int(match["width"]))
    elif name == "SltCap" and (match := _SLOT.search(rest)):
        device.setdefault("slot_number", int(match["number"]))


def _pci_x(device: Device, line: str) -> None:
    if match := _X_SECONDARY.search(line):
        device["pcix_secondary_64bit"], device["pcix_secondary_133mhz"] = match["wide"] == "+", match["fast"] == "+"
        clock = whole(match["clock"].removesuffix("MHz"))
        device["pcix_secondary_mode"] = "conv" if match["clock"] == "conv" else "pcix"
        device["pcix_secondary_freq_hz"] = clock * 1e6 if clock is not None else None
    elif match := _X_STATUS.search(line):
        device["pcix_64bit"], device["pcix_133mhz"] = match["wide"] == "+", match["fast"] == "+"
        if match := _X_LIMITS.search(line):
            device["pcix_dmmrbc"], device["pcix_dmost"] = int(match["bytes"]), int(match["number"])
    elif match := _X_COMMAND.search(line):
        device["pcix_rbc"], device["pcix_ost"] = int(match["bytes"]), int(match["number"])


def _bus_numbers(device: Device, value: str) -> None:
    if match := _BUS.search(value):
        device["bus_secondary"], device["bus_subordinate"] = int(match["secondary"], 16), int(match["last"], 16)


def _subsystem(device: Device, value: str) -> None:
    device["subsystem_name"] = re.sub(r"\s?\[[0-9a-f]{4}:[0-9a-f]{4}\]", "", value)
    if match := _IDS.search(value):
        device["subsystem"] = match["ids"]


_FIELDS: Final[dict[str, Callable[[Device, str], None]]] = {
    "Kernel driver in use": lambda device, value: device.update(driver=value),
    "Kernel modules": lambda device, value: device.update(modules=value.split(", ")),
    "NUMA node": lambda device, value: device.update(numa_node=whole(value)),
    "Physical Slot": lambda device, value: device.update(slot=value),
    "DeviceName": lambda device, value: device.update(device_name=value),
    "Subsystem": _subsystem,
    "Bus": _bus_numbers,
}


def _field(device: Device, name: str, value: str) -> None:
    if name in _FIELDS:
        _FIELDS[name](device, value)


def _named(value: str) -> tuple[str, str | None]:
    """A name and the code behind it in brackets, or the code alone."""
    if match := re.fullmatch(r"(?P<name>.{0,300}?)\s?\[(?P<code>[0-9a-f]{4})\]", value):
        return match["name"], match["code"]
    return ("", value) if re.fullmatch(r"[0-9a-f]{4}", value) else (value, None)


def _described(device: Device, kind: str, vendor: str, model: str) -> Device:
    """Put names and codes of a class, a vendor and a device into facts."""
    (words, code), (maker, maker_code), (name, name_code) = _named(kind), _named(vendor), _named(model)
    device["class"], device["class_code"] = words or None, code
    device["vendor_device"] = f"{maker_code}:{name_code}" if maker_code and name_code else None
    device["name"] = f"{maker} {name}".strip()
    return device


def _mm(output: Output) -> Facts:
    facts = output.facts("lspci-mm", {"devices": []})
    for number, line in output.numbered():
        if match := _MM.match(line):
            fields = [quoted or bare for quoted, bare in re.findall(r'"([^"]{0,300})"|(\S{1,40})', match["fields"])]
            quoted = [field for field in fields if not re.fullmatch(r"-[rp][0-9a-f]{2}", field)]
            if len(quoted) >= 3:
                device = _described({"address": address(match["address"])}, *quoted[:3])
                facts.values["devices"].append(device)
                continue
        if line.strip() and facts.values["devices"]:
            facts.problem(number, "malformed", f"found {line.strip()[:60]!r}, expected a device in quotes; left out")
    return facts


def _records(output: Output) -> Facts:
    records: list[dict[str, list[str]]] = [{}]
    for line in output.lines:
        key, colon, value = line.partition(":")
        if not line.strip():
            records.append({})
        elif colon:
            records[-1].setdefault(key.strip(), []).append(value.strip())
    devices = [device for record in records if (device := _record(record)) is not None]
    facts = output.facts("lspci-nnmmv", {"devices": devices})
    numeric = any(device["class"] is None and device["class_code"] for device in devices)
    if numeric or any(device["driver"] or device["modules"] for device in devices):
        facts.format = "lspci-vmmkn"
    return facts


def _record(record: dict[str, list[str]]) -> Device | None:
    """The device of a record; before pciutils 2.2.2 its place is called Device as well."""

    def first(key: str) -> str:
        return next(iter(record.get(key, [])), "")

    place = first("Slot") or first("Device")
    if not re.fullmatch(_ADDRESS, place):
        return None
    names = record.get("Device", [])[0 if "Slot" in record else 1 :]
    device = _described({"address": address(place)}, first("Class"), first("Vendor"), next(iter(names), ""))
    device["slot"], device["driver"] = first("PhySlot") or None, first("Driver") or None
    device["modules"], device["numa_node"] = record.get("Module", []), whole(first("NUMANode"))
    return device


def _tree(output: Output) -> Facts:
    """The tree: which device is behind which bridge, by the columns in which they stand."""
    facts = output.facts("lspci-tv", {"devices": []})
    open_buses: list[tuple[int, str, str, str | None]] = []  # column, domain, bus, the bridge that leads to it
    for line in output.lines:
        position, bridge = 0, None
        while match := _TREE_TOKEN.match(line, position):
            column = match.start("bus" if match["bus"] else "device")
            while open_buses and open_buses[-1][0] >= column:
                open_buses.pop()
            above = open_buses[-1] if open_buses else None
            if match["bus"]:
                domain = match["domain"] or (above[1] if above else "0000")
                open_buses.append((column, domain, match["bus"], bridge))
            elif above is not None:
                bridge = address(f"{above[1]}:{above[2]}:{match['device']}.{match['function']}")
                name = line[match.end() :].strip() if line[match.end() : match.end() + 1] == " " else ""
                facts.values["devices"].append({"address": bridge, "parent": above[3], "name": name})
            position = match.end()
    facts.values["n_devices"] = len(facts.values["devices"])
    facts.values["parent"] = {
        device["address"]: device["parent"] for device in facts.values["devices"] if device["parent"]
    }
    return facts
