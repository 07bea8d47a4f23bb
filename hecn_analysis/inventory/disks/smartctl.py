"""smartctl: a disk as text (-i, -a, -x) and as JSON (-j).

Units and traps
---------------
- Bytes are printed in full, with separators of thousands that depend on the locale.
- A SATA link runs at the rate in ``(current: …)``, not at the first one, which is what the disk can do.
- A solid-state drive has no rate of rotation; JSON gives it as 0, which is missing here. NVMe drives have none at all.
- NVMe drives give their size as total capacity, or as that of a namespace.
- Old versions print SCSI disks as ``Device: IBM-ESXS ST3300655SS Version: BA23``, vendor and model in one.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import labelled
from hecn_analysis.parsing import amounts
from hecn_analysis.parsing.json_values import positive, trimmed

FORMATS: tuple[str, ...] = ("smartctl", "smartctl-json")
VERSIONS: str = "smartctl 5.3 to 7.5"
COMMANDS: tuple[str, ...] = ("smartctl",)
BEGINS: re.Pattern[str] | None = re.compile(
    r"smartctl (?=(?:version )?(?:pre-)?\d{1,2}\.\d)|=== START OF INFORMATION SECTION"
    r"|(?:Device Model|Model Family):\s{1,20}\S"
)
REPEATS: bool = False

_FIRST: Final = re.compile(
    r"^smartctl (?:version )?(?:pre-)?\d{1,2}\.\d|^=== START OF INFORMATION SECTION", re.MULTILINE
)
_OF_DISK: Final = re.compile(
    r"^(?:Device Model|Model Family|Product|Vendor|User Capacity|Model Number|Device|Device type|Total NVM Capacity):",
    re.MULTILINE,
)
#: Of what somebody copied without the heading.
_PART: Final = re.compile(
    r"^(?:Device Model:\s{1,20}\S(?:.{0,200}\n){1,8}User Capacity:\s{1,20}\d"
    r"|User Capacity:\s{1,20}\d.{0,60} bytes.{0,40}\nSector Sizes?:\s{1,20}\d)",
    re.MULTILINE,
)
_JSON: Final = re.compile(r'"smartctl"\s?:\s?\{')
_BYTES: Final = re.compile(
    r"(?<![^\s\[(])(?<!\d[\u00a0\u202f ])(?:"
    r"(?P<number>\d[\d.,'’\u00a0\u202f ]{0,40}?) bytes|(?P<bare>\d[\d.,'’\u00a0\u202f ]{0,40}) \[)"
)
_STARS: Final = re.compile(r"(?<=\d)\*(?=\d{3}(?!\d))")  # between thousands, where a page has no better sign
_SECTORS: Final = re.compile(r"(?P<logical>\d{1,6}) bytes(?: logical, (?P<physical>\d{1,6}) bytes physical)?")
_LINK: Final = re.compile(r"(?P<most>\d{1,3}\.\d) Gb/s(?: \(current: (?P<now>\d{1,3}\.\d) Gb/s\))?")
_PHY: Final = re.compile(r"phy enabled; (?P<rate>\d{1,3}(?:\.\d)?) Gbps")
_OLD: Final = re.compile(r"(?P<vendor>\S{1,8})\s+(?P<model>\S.{0,30}?)\s+Version: ")
_RPM: Final = re.compile(r"(?P<rpm>\d{1,6}) rpm")
_TRANSPORT: Final = re.compile(r"(?P<name>SAS|iSCSI|Fibre channel|FCP|USB|SPI|SRP)\b", re.IGNORECASE)

#: The protocol of a disk whose model has this label; old versions call that of every SCSI disk its product.
_PROTOCOLS: Final = {"Device Model": "ATA", "Model Number": "NVMe", "Product": None}
_FIELDS: Final[labels.Fields] = {
    **dict.fromkeys(_PROTOCOLS, ("model", labels.text)),
    "Vendor": ("vendor", labels.text),
    "Logical block size": ("logical_sector", amounts.size),
    "Physical block size": ("physical_sector", amounts.size),
    "Namespace 1 Formatted LBA Size": ("logical_sector", amounts.whole),
}


def recognises(output: Output) -> bool:
    """Look for the program's first line and what it says of a disk."""
    head = output.head(60)
    if _is_json(output):
        return True
    if _PART.search(output.head(12)) is not None:
        return True
    is_named = _FIRST.search(head) is not None or output.command[:1] == ("smartctl",)
    return is_named and _OF_DISK.search(head) is not None


def _is_json(output: Output) -> bool:
    """Whether it is JSON of smartctl, whose keys may be sorted: its own stands far below then."""
    begins = output.lines[0].lstrip().startswith("{") or '"json_format_version"' in output.head(60)
    return begins and '"smartctl"' in output.text and _JSON.search(output.text) is not None


def read(output: Output) -> Facts:
    """Read a disk."""
    values: dict[str, Any] = dict.fromkeys(
        ("device", "vendor", "model", "size_bytes", "rpm", "ssd", "protocol", "link_bps", "link_max_bps")
    )
    values.update(logical_sector=None, physical_sector=None)
    if _is_json(output):
        facts = output.facts("smartctl-json", values)
        for value in output.json:
            if isinstance(value, dict) and "smartctl" in value:
                _value(values, value)
                break
        return facts
    words = output.command[1:] if output.command[:1] == ("smartctl",) else ()
    values["device"] = next((word for word in words if word.startswith("/dev/")), None)
    for number, line in output.numbered():
        field = labelled(number, line)
        if field is not None and field.indent == 0:
            _line(values, field.name, field.value)
        elif (phy := _PHY.search(line)) is not None:
            values["link_bps"] = values["link_bps"] or float(phy["rate"]) * 1e9
    if values["protocol"] == "NVMe":
        values["ssd"] = True
    return output.facts("smartctl", values)


def _line(values: dict[str, Any], name: str, text: str) -> None:
    """Take over a line of the text."""
    labels.take(values, _FIELDS, name, text)
    if name in _PROTOCOLS:
        values["protocol"] = _PROTOCOLS[name] or values["protocol"] or "SCSI"
    elif name == "Device" and values["model"] is None and (old := _OLD.match(text)) is not None:
        values.update(vendor=old["vendor"], model=old["model"], protocol="SCSI")
    elif name in ("User Capacity", "Total NVM Capacity", "Namespace 1 Size/Capacity"):
        values["size_bytes"] = values["size_bytes"] or _bytes(text)
    elif name == "Rotation Rate":
        rpm = _RPM.match(text)
        values["rpm"] = int(rpm["rpm"]) if rpm else None
        values["ssd"] = text.startswith("Solid State")
    elif name == "SATA Version is" and (link := _LINK.search(text)) is not None:
        values["link_max_bps"] = float(link["most"]) * 1e9
        values["link_bps"] = float(link["now"]) * 1e9 if link["now"] else None
    elif name in ("Transport protocol", "negotiated logical link rate"):
        transport, phy = _TRANSPORT.match(text), _PHY.search(text)
        values["protocol"] = transport["name"] if transport else values["protocol"]
        values["link_bps"] = float(phy["rate"]) * 1e9 if phy else values["link_bps"]
    elif name in ("Sector Size", "Sector Sizes") and (sectors := _SECTORS.match(text)) is not None:
        values["logical_sector"] = int(sectors["logical"])
        values["physical_sector"] = int(sectors["physical"] or sectors["logical"])


def _bytes(text: str) -> int | None:
    match = _BYTES.search(_STARS.sub("", text))
    digits = re.sub(r"\D", "", (match["number"] or match["bare"]) if match else "")
    return int(digits) if 0 < len(digits) < 19 else None


def _value(values: dict[str, Any], disk: dict[str, Any]) -> None:
    """Take over the JSON of a disk."""
    device = _object(disk, "device")
    values["device"] = trimmed(device.get("name"))
    values["device_type"] = trimmed(device.get("type"))
    values["protocol"] = trimmed(device.get("protocol"))
    values["vendor"] = trimmed(disk.get("scsi_vendor")) or trimmed(disk.get("vendor"))
    models = (disk.get(name) for name in ("model_name", "scsi_model_name", "scsi_product", "product"))
    values["model"] = next((text for model in models if (text := trimmed(model))), None)
    sizes = [_object(disk, "user_capacity").get("bytes"), disk.get("nvme_total_capacity")]
    spaces = disk.get("nvme_namespaces")
    if isinstance(spaces, list) and spaces and isinstance(spaces[0], dict):
        sizes.append(_object(spaces[0], "size").get("bytes"))
        values["logical_sector"] = positive(spaces[0].get("formatted_lba_size"))
    values["size_bytes"] = next((size for stated in sizes if (size := positive(stated))), None)
    rotation = disk.get("rotation_rate")
    values["rpm"] = positive(rotation)
    values["ssd"] = True if rotation == 0 or values["protocol"] == "NVMe" else False if values["rpm"] else None
    speed = _object(disk, "interface_speed")
    values["link_max_bps"], values["link_bps"] = _rate(_object(speed, "max")), _rate(_object(speed, "current"))
    values["logical_sector"] = positive(disk.get("logical_block_size")) or values["logical_sector"]
    values["physical_sector"] = positive(disk.get("physical_block_size"))


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _rate(speed: dict[str, Any]) -> float | None:
    units, bits = positive(speed.get("units_per_second")), positive(speed.get("bits_per_unit"))
    return float(units * bits) if units and bits else None
