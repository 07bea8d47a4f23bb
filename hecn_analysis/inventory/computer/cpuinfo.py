"""``/proc/cpuinfo``: one block for each processor, in words that differ by architecture.

Versions: Linux 2.4 to 6.x on x86, POWER, ARM (32 and 64 bit) and s390.

Traps
-----
- `cpu MHz` is the clock of this moment (a sleeping core is slow), not the nominal one; where the name of the model ends
  in "@ 2.40GHz", that is `nominal_mhz`.
- A processor here is a hardware thread. Cores are counted by "physical id" and "core id"; where these are missing
  (POWER, ARM, old kernels) cores and sockets are not known, but for a machine of one processor.
- The name of a model does not give the number of cores: some may be switched off.
- ARM names its cores by numbers of maker and part only.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import number, whole

FORMATS = ("proc-cpuinfo",)
VERSIONS = "Linux 2.4 to 6.x"
COMMANDS = ("/proc/cpuinfo", "cpuinfo")
BEGINS = re.compile(r"processor(?=\s{1,20}: 0\s*$)|vendor_id\s{1,20}: IBM/S390\s*$|Processor\s{1,20}: (?:ARM|AArch64)")
REPEATS = False

_FIELD: Final = re.compile(r"(?P<name>[A-Za-z][\w /()\[\].#$-]{0,30}?)\s{0,40}:(?:\s(?P<value>.{0,4000}))?$")
_S390: Final = re.compile(r"processor (?P<number>\d{1,5}): version = ")
_NOMINAL: Final = re.compile(r"@ {0,2}(?P<clock>\d{1,2}(?:\.\d{1,3})?) ?GHz")
_ARM: Final = {
    ("0x41", "0xd07"): "Cortex-A57",
    ("0x41", "0xd08"): "Cortex-A72",
    ("0x41", "0xd0c"): "Neoverse-N1",
    ("0x41", "0xd40"): "Neoverse-V1",
    ("0x41", "0xd49"): "Neoverse-N2",
    ("0x41", "0xd4f"): "Neoverse-V2",
    ("0x43", "0x0a1"): "ThunderX",
    ("0x43", "0x0af"): "ThunderX2",
    ("0x46", "0x001"): "A64FX",
    ("0x48", "0xd01"): "Kunpeng-920",
    ("0x50", "0x000"): "X-Gene",
    ("0xc0", "0xac3"): "Ampere-1",
}
_LISTS: Final = frozenset({"flags", "bugs", "vmx flags", "Features"})
_MORE: Final = re.compile(r"\s{0,8}[a-z0-9_]{2,30}(?: [a-z0-9_]{1,30}){0,200}\s*$")  # of a list that mail has broken
_KNOWN: Final = ("model name", "cpu MHz", "BogoMIPS", "bogomips", "CPU implementer", "clock", "cpu family", "Features")


def recognises(output: Output) -> bool:
    """Whether the first lines are those of a processor."""
    head = output.head(40)
    if output.lines[0].startswith("vendor_id") and "IBM/S390" in output.lines[0]:
        return True
    if re.search(r"^(?:ncpus active|cpus detected)\s{1,20}:", head, re.MULTILINE):
        return re.match(r"cpu\s{1,30}:", output.lines[0]) is not None
    begins = re.match(r"[Pp]rocessor\s{0,20}:|(?:system type|cpu)\s{1,20}:", output.lines[0]) is not None
    return begins and re.search(rf"^(?:{'|'.join(_KNOWN)})\s{{0,20}}:", head, re.MULTILINE) is not None


def read(output: Output) -> Facts:
    """How many processors, cores and sockets, and what they are."""
    facts = output.facts("proc-cpuinfo", dict.fromkeys(("model", "mhz", "nominal_mhz", "cores_per_socket", "vendor")))
    threads: list[dict[str, str]] = []
    rest: dict[str, str] = {}
    current = rest
    mainframe = 0
    listed = ""
    for line_number, line in output.numbered():
        if _S390.match(line):
            mainframe += 1
        elif match := _FIELD.match(line):
            name, value = match["name"], (match["value"] or "").strip()
            if name == "processor" and value.isdigit():
                current = {}
                threads.append(current)
            elif name in {"timebase", "Hardware", "platform"}:
                current = rest
            current.setdefault(name, value)
            listed = name if name in _LISTS else ""
        elif listed and _MORE.match(line):
            current[listed] += f" {line.strip()}"
        elif line.strip() and not line.startswith("#") and len(line) < 2000:
            facts.problem(line_number, "malformed", f"found {line.strip()[:60]!r}, expected 'name : value'; left out")
    _models(facts.values, threads[0] if threads else rest, rest)
    _count(facts.values, threads, rest, mainframe)
    return facts


def _models(values: dict[str, Any], first: dict[str, str], rest: dict[str, str]) -> None:
    part = _ARM.get((first.get("CPU implementer", ""), first.get("CPU part", "")))
    names = (
        first.get("model name"),
        first.get("cpu"),
        first.get("cpu model"),
        part,
        rest.get("Processor"),
        rest.get("Hardware"),
    )
    values["model"] = next((name for name in names if name), None)
    values["vendor"] = first.get("vendor_id") or rest.get("vendor_id")
    values["mhz"] = number(first.get("cpu MHz") or first.get("clock", "").removesuffix("MHz"))
    if nominal := _NOMINAL.search(values["model"] or ""):
        values["nominal_mhz"] = round(1000 * float(nominal["clock"]))
    values["l3_bytes"] = None
    cache = re.fullmatch(r"(\d{1,9}) KB", first.get("cache size", ""))
    values["cache_bytes"] = 1024 * int(cache[1]) if cache else None
    values["virtual"] = "hypervisor" in first["flags"].split() if "flags" in first else None


def _count(values: dict[str, Any], threads: list[dict[str, str]], rest: dict[str, str], mainframe: int) -> None:
    cpus = len(threads) or mainframe or None
    values["cpus"] = cpus or whole(rest.get("ncpus active")) or whole(rest.get("cpus detected"))
    sockets = {thread["physical id"] for thread in threads if "physical id" in thread}
    cores = {
        (thread["physical id"], thread["core id"]) for thread in threads if {"physical id", "core id"} <= thread.keys()
    }
    values["sockets"] = len(sockets) or (1 if cpus == 1 else None)
    each = whole(threads[0].get("cpu cores")) if threads else None
    values["cores_per_socket"] = each
    values["cores"] = len(cores) or (len(sockets) * each if sockets and each else None) or (1 if cpus == 1 else None)
    values["threads_per_core"] = cpus // values["cores"] if cpus and values["cores"] else None
