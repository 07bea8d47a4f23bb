"""``/proc/meminfo``: the main memory as the kernel sees it.

Versions: Linux 2.4 to 6.x. The kB of this file are KiB. Kernels before 3.14 have no MemAvailable; it is then missing,
not 0. MemTotal is what the kernel may use: less than the modules hold, for firmware and kernel take some.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import size, whole

FORMATS = ("meminfo",)
VERSIONS = "Linux 2.4 to 6.x"
COMMANDS = ("/proc/meminfo", "meminfo")
BEGINS = re.compile(r"MemTotal:\s+\d+ kB")
REPEATS = True

_FIELD: Final = re.compile(
    r"\s{0,8}(?P<name>[A-Za-z_]{2,30}(?:\([a-z_]{1,20}\))?):\s{1,40}(?P<value>\d{1,16})(?: kB)?\s*"
)
_BESIDE: Final = re.compile(r"(?<=kB)\s{2,40}(?=[A-Z])")  # two columns, as people put them to save lines
_NAMES: Final = {
    "MemTotal": "mem_total_bytes",
    "MemFree": "mem_free_bytes",
    "MemAvailable": "mem_available_bytes",
    "Buffers": "buffers_bytes",
    "Cached": "cached_bytes",
    "SwapTotal": "swap_total_bytes",
    "SwapFree": "swap_free_bytes",
    "Hugepagesize": "hugepage_size_bytes",
}


def recognises(output: Output) -> bool:
    """Whether this is the file: MemTotal and MemFree among its first lines."""
    head = output.head(12)
    return re.search(r"^\s{0,8}MemTotal:\s", head, re.MULTILINE) is not None and "MemFree:" in head


def read(output: Output) -> Facts:
    """The sizes that say how much memory there is, in bytes."""
    facts = output.facts("meminfo", dict.fromkeys([*_NAMES.values(), "hugepages_total"]))
    for number, line in ((number, part) for number, both in output.numbered() for part in _BESIDE.split(both[:400])):
        match = _FIELD.fullmatch(line)
        if match is None:
            if line.partition(":")[0].strip() in _NAMES:
                facts.problem(number, "malformed", f"found {line.strip()[:60]!r}, expected a size in kB; left out")
            continue
        name = match["name"]
        if name in _NAMES:
            facts.values[_NAMES[name]] = size(match["value"], unit=1024)
        elif name == "HugePages_Total":
            facts.values["hugepages_total"] = whole(match["value"])
    return facts
