"""LSI's MegaCli (CmdTool2): adapter (-AdpAllInfo), volumes (-LDInfo), drives (-PDList, -LdPdInfo), -ShowSummary.

Units and traps
---------------
- MB, GB and TB are 2^20, 2^30 and 2^40 bytes; a drive's raw size is also given in sectors, which is exact.
- The level is spelled ``Primary-5, Secondary-0, RAID Level Qualifier-3`` (RAID 5). ``Primary-1, Secondary-3``, and
  mirrors over more than one span, are RAID 10; with Secondary-3, 5 is 50 and 6 is 60.
- ``Number Of Drives`` counts those of one span.
- A drive that CacheCade keeps its copies on is listed as a volume; it holds no data of its own and is left out.
- What runs is the *current* cache policy; without a healthy battery it differs from the default one.
- ``Inquiry Data`` has columns: of SATA drives 20 characters serial number, 40 model; of SAS drives 8 vendor, 16 model.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory import kernel, labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("megacli",)
VERSIONS: str = "MegaCli 1 to 8, CmdTool2"
COMMANDS: tuple[str, ...] = ("MegaCli", "MegaCli64", "megacli", "megacli64", "CmdTool2", "cmdtool2", "MegaCli8")
BEGINS: re.Pattern[str] | None = re.compile(
    r"(?:Adapter #\d{1,3}\s{0,8}$|Adapter \d{1,3} -- Virtual (?:Drive|Disk) Information)"
)
REPEATS: bool = False

_VOLUME: Final = re.compile(
    r"\s{0,16}Virtual (?:Drive|Disk) ?: ?(?P<id>\d{1,6}) \(Target Id: ?\d{1,6}\)", re.IGNORECASE
)
_CACHE: Final = re.compile(r"\s{0,16}CacheCade Virtual Drive ?: ?\d{1,6} ", re.IGNORECASE)
_NONE: Final = re.compile(r"Adapter \d{1,3}: No Virtual Drive", re.IGNORECASE)
_LEVEL: Final = re.compile(r"Primary-(?P<primary>\d), Secondary-(?P<secondary>\d)(?:, RAID Level Qualifier-\d)?")
_SECTORS: Final = re.compile(r"\[0x(?P<sectors>[0-9a-fA-F]{1,16}) Sectors\]")
_INQUIRY: Final = re.compile(r"Inquiry Data: ?(?P<data>.{0,200})")
_KNOWN: Final = re.compile(
    r"^\s{0,40}(?:Virtual (?:Drive|Disk) ?: ?\d|Firmware state ?: |Inquiry Data ?: |RAID Level\s{0,12}: Primary-"
    r"|Adapter \d{1,3} -- Virtual (?:Drive|Disk)|ProductName\s{0,12}: |Adapter \d{1,3}: No Virtual Drive"
    r"|PCI information for Controller \d|Adapter #\d{1,3}\s{1,8}(?:Exit Code: 0x|Number of Virtual Disks)"
    r"|Product Name\s{0,12}: .{1,60}\n(?:.{0,80}\n){1,20}?.{0,20}FW Package Build)",
    re.MULTILINE,
)
_SUMMARY_DISK: Final = re.compile(r"Slot (?P<slot>\d{1,4})\s{0,8}$")
_SUMMARY_VOLUME: Final = re.compile(r"Target Id (?P<id>\d{1,6}) ?,VD name (?P<name>.{0,60})")
_SECTOR: Final = 512
_SATA_INQUIRY: Final = 40

_PLACE: Final = {"Bus Number": "_bus", "Device Number": "_device", "Function Number": "_function"}
_PRESENT: Final = {
    "Virtual Drives": "n_virtual_drives",
    "Degraded": "n_degraded",
    "Offline": "n_offline",
    "Disks": "n_disks",
    "Critical Disks": "n_critical_disks",
    "Failed Disks": "n_failed_disks",
}


def recognises(output: Output) -> bool:
    """Look for MegaCli's own words."""
    return _KNOWN.search(output.head(400)) is not None


def read(output: Output) -> Facts:
    """Read adapters, volumes and drives, whatever of them the output has."""
    facts = output.facts("megacli", {"controller": None, "memory_bytes": None, "volumes": [], "drives": []})
    reading = _Reading(facts.values)
    for number, line in output.numbered():
        reading.line(number, line)
    values = facts.values
    values["drives"] = [drive for drive in values["drives"] if not _quoted(drive, values["drives"])]
    for volume in values["volumes"]:
        _level(volume)
    _count(values)
    return facts


def _quoted(drive: dict[str, Any], drives: list[dict[str, Any]]) -> bool:
    """Whether a drive is only named by its place, which another one has with its details."""
    named = {name for name, value in drive.items() if value is not None} <= {"enclosure", "slot"}
    place = (drive["enclosure"], drive["slot"])
    return named and any(other is not drive and (other["enclosure"], other["slot"]) == place for other in drives)


def _count(values: dict[str, Any]) -> None:
    """What is not counted in the output itself is counted in its lists."""
    volumes, drives = values["volumes"], values["drives"]
    values["n_volumes"] = len(volumes) or values.get("n_virtual_drives")
    values["n_drives"] = len(drives) or values.get("n_disks")
    if volumes:
        values.setdefault("n_virtual_drives", len(volumes))
        values.setdefault("n_degraded", sum("egraded" in (volume.get("state") or "") for volume in volumes))
    if drives:
        values.setdefault("n_disks", len(drives))
        values.setdefault("n_failed_disks", sum((drive.get("state") or "").startswith("Failed") for drive in drives))
    bus = [values.pop(name, None) for name in ("_bus", "_device", "_function")]
    if None not in bus:
        values["pci"] = kernel.address(f"{bus[0]:02x}:{bus[1]:02x}.{bus[2]:x}")


class _Reading:
    """Which object the lines belong to."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values
        self._volume: dict[str, Any] | None = None
        self._drive: dict[str, Any] | None = None
        self._present = False

    def line(self, number: int, line: str) -> None:
        """Take a line."""
        if _CACHE.match(line) is not None:
            self._volume, self._drive = {}, None
        elif _NONE.match(line) is not None:
            self._values.setdefault("n_virtual_drives", 0)
        if (volume := _VOLUME.match(line)) is not None:
            self._volume = {"id": int(volume["id"]), "level": None, "size_bytes": None, "strip_bytes": None}
            self._values["volumes"].append(self._volume)
            self._drive = None
            return
        field = labelled(number, line)
        if field is None:
            self._present = self._present or line.strip() == "Device Present"
            return
        if field.name == "Enclosure Device ID":
            self._drive = {"enclosure": amounts.whole(field.value), "slot": None, "model": None, "size_bytes": None}
            self._values["drives"].append(self._drive)
        elif not self._inside(field, line):
            self._adapter(field)

    def _inside(self, label: Labelled, line: str) -> bool:
        """Give a line to the drive or volume it belongs to; False if it belongs to neither."""
        if self._drive is not None:
            return _drive(self._drive, label, line)
        return self._volume is not None and _volume(self._volume, label)

    def _adapter(self, label: Labelled) -> None:
        values, text = self._values, label.value
        if label.name in ("Product Name", "ProductName") and values["controller"] is None:
            values["controller"] = text.partition("(Bus")[0].strip() or None
        elif label.name in ("Memory", "Memory Size") and values["memory_bytes"] is None:
            values["memory_bytes"] = amounts.size(text)
        elif label.name in ("FW Package Build", "FW Package Version"):
            values.setdefault("firmware", text or None)
        elif label.name in _PLACE:
            values[_PLACE[label.name]] = int(text, 16) if re.fullmatch(r"[0-9a-fA-F]{1,2}", text) else None
        elif label.name in _PRESENT and self._present:
            values.setdefault(_PRESENT[label.name], amounts.whole(text))
        else:
            self._summary(label)

    def _summary(self, label: Labelled) -> None:
        """Lines of -ShowSummary."""
        if label.name == "Connector" and (slot := _SUMMARY_DISK.search(label.value)) is not None:
            self._drive = {"enclosure": None, "slot": int(slot["slot"]), "model": None, "size_bytes": None}
            self._values["drives"].append(self._drive)
        elif label.name == "Virtual drive" and (volume := _SUMMARY_VOLUME.match(label.value)) is not None:
            self._volume = {"id": int(volume["id"]), "name": volume["name"].strip() or None, "level": None}
            self._volume.update(size_bytes=None, state=None)
            self._values["volumes"].append(self._volume)
            self._drive = None


def _drive_size(text: str) -> int | None:
    sectors = _SECTORS.search(text)
    return int(sectors["sectors"], 16) * _SECTOR if sectors else amounts.size(text)


_VOLUME_FIELDS: Final[labels.Fields] = {
    "RAID Level": ("level", str),
    "Size": ("size_bytes", amounts.size),
    "Strip Size": ("strip_bytes", amounts.size),
    "Stripe Size": ("strip_bytes", amounts.size),
    "Number Of Drives": ("n_drives", amounts.whole),
    "Number Of Drives per span": ("n_drives", amounts.whole),
    "Span Depth": ("spans", amounts.whole),
    "State": ("state", labels.text),
    "Name": ("name", labels.text),
}
_DRIVE_FIELDS: Final[labels.Fields] = {
    "PD Type": ("type", labels.text),
    "Firmware state": ("state", labels.text),
    "State": ("state", labels.text),
    "Media Type": ("media", labels.text),
    "Product Id": ("model", labels.text),
    "Slot Number": ("slot", amounts.whole),
    "Raw Size": ("size_bytes", _drive_size),
    "Capacity": ("size_bytes", _drive_size),
    "Device Speed": ("link_max_bps", labels.line_rate),
    "Link Speed": ("link_bps", labels.line_rate),
}


def _volume(volume: dict[str, Any], label: Labelled) -> bool:
    if label.name == "Current Cache Policy":
        policy = [word.strip() for word in label.value.split(",")]
        volume["cache"], volume["read_policy"] = policy[0] or None, policy[1] if len(policy) > 1 else None
        return True
    return labels.take(volume, _VOLUME_FIELDS, label.name, label.value)


def _drive(drive: dict[str, Any], label: Labelled, line: str) -> bool:
    if label.name == "Inquiry Data" and (inquiry := _INQUIRY.search(line)) is not None:
        drive["model"] = _model(inquiry["data"], drive.get("type"))
    elif label.name == "Disk Type":
        drive["type"], _, drive["media"] = (part.strip() for part in label.value.partition(","))
    else:
        return labels.take(drive, _DRIVE_FIELDS, label.name, label.value)
    return True


def _model(data: str, kind: object) -> str | None:
    """The model in the columns of the inquiry data."""
    if kind == "SATA" and len(data.rstrip()) > _SATA_INQUIRY and not data.startswith("ATA  "):
        return data[20:60].strip() or None
    return data[8:24].strip() or None


def _level(volume: dict[str, Any]) -> None:
    """Turn the words for a level into its name, and the drives of a span into those of all."""
    spans, each = volume.pop("spans", None), volume.get("n_drives")
    if spans is not None and each is not None:
        volume["n_drives"] = spans * each
    text = volume["level"] or ""
    match = _LEVEL.match(text)
    if match is not None:
        many = match["secondary"] == "3" or (spans or 1) > 1
        level = match["primary"]
        volume["level"] = f"raid{level}0" if many and level != "0" else f"raid{level}"
    else:
        volume["level"] = f"raid{text}" if text.isdigit() and len(text) < 3 else None
