"""Captured names in the catalogue of parts, for costs of a core and rates of a disk, which a capture omits."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from hecn_analysis.hardware import catalogue
from hecn_analysis.hardware.parts import Disk, Nic

#: Words of a processor's name that say nothing about which it is.
_CPU_NOISE: Final = re.compile(
    r"\((?:r|tm|c)\)|@.*$|\bcpu\b|\bprocessors?\b|\b\w{1,12}-core\b|\bcore\b|\bgenuine\b|\(architected\).*$|\bv?0\b$",
    re.IGNORECASE,
)
#: What model numbers of disks begin with, and the catalogue's name of the family.
_DISK_CODES: Final = {
    "SSDPE2KX": "intel-p4510-4tb",
    "SSDPE2MD": "intel-p3700-800",
    "SSDPEDMD": "intel-p3700-800",
    "SSDPE21K": "intel-optane-p4800x-375",
    "SSDPED1K": "intel-optane-p4800x-375",
    "SSDPF21Q": "intel-optane-p5800x-800",
    "SSDPF2KX": "solidigm-p5520-3840",
    "SSDSC2KB": "intel-s4510-960",
    "SSDSC2BA": "intel-s3700-400",
    "MTFDHAL": "micron-9300-pro-3840",
    "MTFDKC": "micron-7450-pro-3840",
    "MTFDDAK960TDS": "micron-5300-pro-960",
    "MTFDDAK960TGA": "micron-5400-pro-960",
    "MZWLJ": "samsung-pm1733-3840",
    "MZWLO": "samsung-pm1743-3840",
    "MZQL2": "samsung-pm9a3-3840",
    "MZ7L3": "samsung-pm893-960",
    "KCM61": "kioxia-cm6-r-3840",
    "KCMYX": "kioxia-cm7-r-3840",
    "ST10000VN": "seagate-ironwolf-10tb",
    "ST16000NM": "seagate-exos-x16-16tb",
    "ST18000NM": "seagate-exos-x18-18tb",
    "ST20000NM": "seagate-exos-x20-20tb",
    "ST24000NM": "seagate-exos-x24-24tb",
    "ST900MP": "seagate-exos-15e900-900",
    "ST2400MM": "seagate-exos-10e2400-2400",
    "WUH721818": "wd-hc550-18tb",
    "WUH722020": "wd-hc560-20tb",
    "WUH722424": "wd-hc580-24tb",
    "MG08ACA16": "toshiba-mg08-16tb",
    "MG09ACA18": "toshiba-mg09-18tb",
    "WD5001AALS": "wd5001aals",
}
#: A word that names a model: neither a year, nor a number of ports, nor a rate.
_MODEL: Final = re.compile(r"(?!\d{1,3}(?:x|g|gb|gbe|gbps)?$)(?=.*\d).{4,}")
#: Names of cards by what lspci calls them, and the line rate of the family's ports. [bit/s]
_RATES: Final[tuple[tuple[re.Pattern[str], float], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), rate)
    for pattern, rate in (
        (r"ConnectX-8", 800e9),
        (r"ConnectX-7", 400e9),
        (r"ConnectX-6 Lx", 25e9),
        (r"ConnectX-6 Dx", 100e9),
        (r"ConnectX-6\b", 200e9),
        (r"ConnectX-5", 100e9),
        (r"ConnectX-4 Lx", 25e9),
        (r"ConnectX-4", 100e9),
        (r"ConnectX-3", 40e9),
        (r"BlueField-3", 200e9),
        (r"BlueField", 100e9),
        (r"\b200G", 200e9),
        (r"\b100G|E810-C|T62100|BCM57508|SFC9250", 100e9),
        (r"XL710|T580|\b40G", 40e9),
        (r"XXV710|E810-XXV|E823|T6225|BCM57414|\b25G|10Gb/25Gb", 25e9),
        (r"\b10G|10-Gigabit|10 Gigabit|X710|X5[245]0|X557|8259[89]|T520|BCM57[78]\d\d|BCM5741[26]|SFN|SFC9", 10e9),
        (r"I226|I225|2\.5G", 2.5e9),
        (r"Gigabit|\b1G|I350|I21[01]|8257\d|8258\d|82545|82546|BCM57[0-2]\d|NetXtreme", 1e9),
    )
)


def cpu(model: str | None) -> str | None:
    """Name of a processor in the catalogue, or None."""
    return _cpus().get(_cpu_key(model or ""))


def _cpu_key(name: str) -> str:
    words = re.sub(r"[-\s]+", " ", _CPU_NOISE.sub(" ", name).lower().replace("+", "plus")).split()
    return " ".join(words)


@lru_cache(maxsize=1)
def _cpus() -> dict[str, str]:
    return {_cpu_key(name.replace("-", " ")): name for name in catalogue.parts("cpus")}


def disk(model: str | None) -> str | None:
    """Name of a disk in the catalogue, by its model number or by its name, or None."""
    text = (model or "").upper().replace("_", " ")
    for code, name in _DISK_CODES.items():
        if code in text and name in _disks():
            return name
    words = set(re.split(r"[^a-z0-9]+", text.lower()))
    return next((name for name, wanted in _disk_words().items() if wanted and wanted <= words), None)


@lru_cache(maxsize=1)
def _disks() -> dict[str, Disk]:
    return {name: part for name, part in catalogue.parts("disks").items() if isinstance(part, Disk)}


@lru_cache(maxsize=1)
def _disk_words() -> dict[str, set[str]]:
    """The words of each name except the last one, the size; none for a name that fits too many."""
    by_name = {name: set(name.split("-")[:-1]) for name in _disks()}
    return {
        name: words if any(re.search(r"\d", word) for word in words) and len(words) > 1 else set()
        for name, words in by_name.items()
    }


def nic(name: str, ports: int, rate_bps: float | None) -> str | None:
    """Name of a network card in the catalogue: the only entry whose model is part of the captured name."""
    text = name.lower()
    scores = {}
    for part_name, part in catalogue.parts("nics").items():
        if (
            not isinstance(part, Nic)
            or part.ports != ports
            or (rate_bps is not None and part.port_rate.value != rate_bps)
        ):
            continue
        tokens = {word for word in re.split(r"[\s(),]+", part.title.lower()) if _MODEL.match(word)}
        scores[part_name] = sum(len(token) for token in tokens if token in text)
    best = max(scores.values(), default=0)
    best_names = [part_name for part_name, score in scores.items() if score == best]
    return best_names[0] if best and len(best_names) == 1 else None


def port_rate_bps(name: str) -> float | None:
    """Line rate from the name of a card, None if the name has none."""
    return next((rate for pattern, rate in _RATES if pattern.search(name)), None)


def controller(name: str) -> str | None:
    """Name of a storage controller in the catalogue: the entry whose model number is part of the captured name."""
    text = name.lower()
    for part_name, part in catalogue.parts("controllers").items():
        tokens = [word for word in re.split(r"[\s(),]+", part.title.lower()) if re.search(r"\d{4}", word)]
        if tokens and all(token in text for token in tokens):
            return part_name
    return None
