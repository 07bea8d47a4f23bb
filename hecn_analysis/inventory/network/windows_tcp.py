"""How TCP is set on Windows: ``netsh int tcp show global`` and ``Get-NetTCPSetting``.

Versions: Windows Vista and Server 2008 to Windows 11 and Server 2025; netsh in English, German, French, Spanish and
Chinese by the words around the values, which are not translated everywhere.

Units and traps
---------------
- ``autotuning`` is the level of the receive window: normal grows it as far as the peer's scaling allows, disabled keeps
  it at 64 KiB, highlyrestricted and restricted keep it small.
- ``Get-NetTCPSetting`` has a level for each template. Of a host that uses no rules, Internet applies.
- ``InitialCongestionWindow`` is in segments, ``InitialRto`` and ``MinRto`` are in ms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from hecn_analysis.inventory import labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import all_labelled
from hecn_analysis.parsing import amounts

FORMATS: tuple[str, ...] = ("netsh-tcp-global", "get-nettcpsetting")
VERSIONS: str = "Windows Vista to 11, Server 2008 to 2025"
COMMANDS: tuple[str, ...] = ("netsh", "Get-NetTCPSetting", "get-nettcpsetting")
BEGINS: re.Pattern[str] | None = re.compile(
    r"\s{0,8}(?:Querying active state|TCP Global Parameters"
    r"|Globale TCP-Parameter|Paramètres globaux TCP|Parámetros globales de TCP"
    r"|TCP 全局参数)|(SettingName\s{1,40}: \S{1,40})"
)
REPEATS: bool = False

_LEVEL: Final = re.compile(
    r"(?:auto-?\s?tuning|autotuning|ajuste automático|réglage automatique|自动调节)", re.IGNORECASE
)
_LEVELS: Final = frozenset({"normal", "disabled", "restricted", "highlyrestricted", "experimental"})
_SWITCHES: Final = {"enabled": True, "disabled": False, "aktiviert": True, "deaktiviert": False, "allowed": True}


def _switch(value: str) -> bool | None:
    return _SWITCHES.get(value.partition(" ")[0].lower()) if value else None


def _word(value: str) -> str | None:
    return value.lower() or None


_GLOBAL: Final[dict[str, tuple[str, Callable[[str], object]]]] = {
    "Receive-Side Scaling State": ("receive_side_scaling", _switch),
    "Chimney Offload State": ("chimney", _word),
    "Add-On Congestion Control Provider": ("congestion_control", _word),
    "ECN Capability": ("ecn", _switch),
    "RFC 1323 Timestamps": ("timestamps", _switch),
    "Initial RTO": ("initial_rto_ms", amounts.whole),
    "Receive Segment Coalescing State": ("receive_segment_coalescing", _switch),
    "Pacing Profile": ("pacing", _word),
}
_SETTING: Final[labels.Fields] = {
    "AutoTuningLevelLocal": ("autotuning", _word),
    "AutoTuningLevelEffective": ("autotuning_effective", _word),
    "CongestionProvider": ("congestion_control", _word),
    "ScalingHeuristics": ("scaling_heuristics", _switch),
    "EcnCapability": ("ecn", _switch),
    "Timestamps": ("timestamps", _switch),
    "InitialCongestionWindow(MSS)": ("initial_window_segments", amounts.whole),
    "InitialCongestionWindowMss": ("initial_window_segments", amounts.whole),
    "InitialRto(ms)": ("initial_rto_ms", amounts.whole),
    "MinRto(ms)": ("min_rto_ms", amounts.whole),
}


def recognises(output: Output) -> bool:
    """Look for the title of netsh or its level, or for the templates."""
    head = output.head(40)
    if re.search(r"^\s{0,8}Receive Window Auto-Tuning Level\s{1,12}: \w", head, re.MULTILINE):
        return True
    if BEGINS is not None and any(BEGINS.match(line) for line in output.lines[:6]):
        return _LEVEL.search(head) is not None
    return re.search(r"^SettingName\s{1,40}: ", head, re.MULTILINE) is not None and "AutoTuningLevel" in head


def read(output: Output) -> Facts:
    """Read the settings."""
    lines = list(all_labelled(output.numbered()))
    if any(line.name == "SettingName" for line in lines):
        return _templates(output)
    values: dict[str, Any] = {"autotuning": None}
    for line in lines:
        if _LEVEL.search(line.name) and line.value.lower() in _LEVELS and values["autotuning"] is None:
            values["autotuning"] = line.value.lower()
        else:
            labels.take(values, _GLOBAL, line.name, line.value)
    return output.facts("netsh-tcp-global", values)


def _templates(output: Output) -> Facts:
    settings: list[dict[str, Any]] = []
    for line in all_labelled(output.numbered()):
        if line.name == "SettingName":
            settings.append({"name": line.value, "autotuning": None})
        elif settings:
            labels.take(settings[-1], _SETTING, line.name, line.value)
    used = next((setting for setting in settings if setting["name"].lower() == "internet"), None)
    return output.facts("get-nettcpsetting", {"autotuning": used["autotuning"] if used else None, "settings": settings})
