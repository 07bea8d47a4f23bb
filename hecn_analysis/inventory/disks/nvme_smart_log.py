"""``nvme smart-log``: wear, temperature and errors of an NVMe drive.

Units and traps
---------------
- Data units are thousands of 512 bytes; newer versions add the bytes in parentheses.
- Temperatures are degrees Celsius; thousands are parted by commas or points.
- Seconds above a limit of temperature, and transitions to thermal management, say that the drive slowed itself down.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import all_labelled

FORMATS: tuple[str, ...] = ("nvme-smart-log",)
VERSIONS: str = "nvme-cli 0.5 to 2"
COMMANDS: tuple[str, ...] = ()
BEGINS: re.Pattern[str] | None = re.compile(r"(?:Smart Log for NVME device: ?\S|critical_warning\s{1,40}: )")
REPEATS: bool = False

_NUMBER: Final = re.compile(r"(?P<digits>\d{1,3}(?:[.,]\d{3}){0,8}|\d{1,30})(?![\d.,])")
_DEVICE: Final = re.compile(r"Smart Log for NVME device: ?(?P<device>[\w/]{1,40})")
_NAMES: Final = {
    "temperature": "temperature_c",
    "available_spare": "spare_percent",
    "percentage_used": "used_percent",
    "data_units_read": "read_bytes",
    "data_units_written": "written_bytes",
    "media_errors": "media_errors",
    "power_on_hours": "power_on_hours",
    "warning temperature time": "warm_minutes",
    "critical composite temperature time": "hot_minutes",
    "thermal management t1 trans count": "throttled_lightly",
    "thermal management t2 trans count": "throttled_heavily",
}
_UNIT: Final = 512_000


def recognises(output: Output) -> bool:
    """Look for the first value."""
    return re.search(r"^critical_warning\s{1,40}: ", output.head(3), re.MULTILINE) is not None


def read(output: Output) -> Facts:
    """Read the values."""
    values: dict[str, Any] = {"device": None, **dict.fromkeys(_NAMES.values())}
    facts = output.facts("nvme-smart-log", values)
    if (device := _DEVICE.match(output.lines[0])) is not None:
        values["device"] = f"/dev/{device['device'].removeprefix('/dev/')}"
    for field in all_labelled(output.numbered()):
        name = _NAMES.get(field.name.strip().lower())
        if name is None:
            continue
        if (number := _NUMBER.match(field.value)) is None:
            facts.problem(field.number, "malformed", f"found {field.value[:40]!r}, expected a number; left out")
            continue
        digits = int(re.sub(r"[.,]", "", number["digits"]))
        values[name] = digits * _UNIT if name.endswith("_bytes") else digits
    return facts
