"""ethtool: link, driver (-i), offloads (-k), rings (-g), coalescing (-c), channels (-l), pause (-a), module (-m).

Units and traps
---------------
- ``Speed: 40000Mb/s`` is what runs, in 10^6 bit/s; the link modes are what can run, and may be faster or slower.
- ``Unknown!``, ``n/a`` and ``Not reported`` are missing, not 0.
- -i and -m do not name the interface: it is taken from the command line in front of them, else from the name of the
  file as sosreport writes it (``ethtool_-i_eth0``), else it is missing.
- The module's nominal rate is its line rate with coding, in MBd (10300 for 10 Gb/s), before ethtool 4 called Mbps.
- A feature that is ``off [fixed]`` cannot be switched on.
- With --json an output is a list of one object for each interface; what it is of shows in its names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from hecn_analysis.inventory import labels
from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.labels import Labelled, all_labelled, labelled
from hecn_analysis.parsing import amounts
from hecn_analysis.parsing.json_values import objects

FORMATS: tuple[str, ...] = (
    "ethtool",
    "ethtool-i",
    "ethtool-k",
    "ethtool-g",
    "ethtool-c",
    "ethtool-l",
    "ethtool-a",
    "ethtool-m",
)
VERSIONS: str = "ethtool 2.6 to 6"
COMMANDS: tuple[str, ...] = ("ethtool",)
BEGINS: re.Pattern[str] | None = re.compile(
    r"\s{0,16}(?:Settings for \S{1,40}:|(?:Ring|Coalesce|Channel|Pause) parameters for \S{1,40}:"
    r"|(?:Features|Offload parameters) for \S{1,40}:|driver: \S|Identifier\s{1,60}: 0x[0-9a-fA-F]{2} \()"
)
REPEATS: bool = True

_FIRST: Final = re.compile(
    r"\s{0,16}(?:(?P<settings>Settings)|(?P<what>(?:Ring|Coalesce|Channel|Pause|Offload) parameters|Features)) "
    r"for (?P<interface>\S{1,40}?):\s{0,8}$"
)
_DRIVER: Final = re.compile(r"\s{0,16}driver: \S")
_MODULE: Final = re.compile(r"\s{0,16}Identifier\s{1,60}: 0x[0-9a-fA-F]{2} \((?P<kind>[^)]{1,60})")
_FROM_FILE: Final = re.compile(
    r"ethtool[_-]{1,3}(?P<option>[a-z])[_-](?P<interface>[\w.@-]{1,40}?)(?:\.(?:txt|out|log))?$"
)
_SPEED: Final = re.compile(r"(?P<number>\d{1,9})\s?(?P<unit>[MG])b/s")
_MODE: Final = re.compile(r"(?<![\w.])(?P<mbps>\d{1,7})base\w{1,20}/(?P<duplex>Full|Half)")
_FLAG: Final = re.compile(r"(?P<value>on|off)\b(?P<rest>.{0,60})")
_ADAPTIVE: Final = re.compile(r"\s{0,16}Adaptive RX:\s{0,8}(?P<rx>\S{1,8})\s{1,8}TX:\s{0,8}(?P<tx>\S{1,8})")
_LENGTH: Final = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,3})?)\s?(?P<unit>km|m|cm)?")
_BAUD: Final = re.compile(r"(?P<number>\d{1,9})\s?(?P<unit>[MG])(?:Bd|bps)")
_PREFIX: Final = {"M": 10**6, "G": 10**9}
_WHAT: Final = {
    "Ring parameters": "ethtool-g",
    "Coalesce parameters": "ethtool-c",
    "Channel parameters": "ethtool-l",
    "Pause parameters": "ethtool-a",
    "Features": "ethtool-k",
    "Offload parameters": "ethtool-k",
}
_OPTIONS: Final = {
    "--driver": "i",
    "--show-module": "m",
    "--module-info": "m",
    "-i": "i",
    "-m": "m",
}
_JSON_KINDS: Final = (
    ("link-detected", "ethtool"),
    ("autonegotiate", "ethtool-a"),
    ("combined", "ethtool-l"),
    ("combined-max", "ethtool-l"),
    ("adaptive-rx", "ethtool-c"),
    ("rx-usecs", "ethtool-c"),
    ("rx-max", "ethtool-g"),
)
_UNKNOWN_SPEED: Final = 0xFFFFFFFF
#: What is left of an output that somebody cut to what matters.
_SPEED_LINE: Final = re.compile(r"^\s{0,16}Speed: (?:\d{1,7} ?Mb/s|Unknown!)", re.MULTILINE)
_DUPLEX_LINE: Final = re.compile(r"^\s{0,16}Duplex: (?:Full|Half|Unknown!)", re.MULTILINE)
_WITHOUT_HEAD: Final = ("Supported link modes: ", "Supports auto-negotiation: ", "Advertised link modes: ")
_MODES: Final = ("Supported link modes", "Advertised link modes", "Link partner advertised link modes")


def recognises(output: Output) -> bool:
    """Look for one of the first lines."""
    return _kind(output) is not None


def _kind(output: Output) -> tuple[str, str | None] | None:
    """The format and the interface that the output names."""
    for item in _objects(output):
        if (kind := _json_kind(item)) is not None:
            return kind, str(item.get("ifname"))
    for line in output.lines[:12]:
        if (first := _FIRST.match(line)) is not None:
            return ("ethtool" if first["settings"] else _WHAT[first["what"]]), first["interface"]
        if _DRIVER.match(line) is not None and re.search(
            r"^\s{0,16}(?:bus-info|firmware-version|version|supports-\w+):", output.head(), re.MULTILINE
        ):
            return "ethtool-i", _outside(output, "i")
        if _MODULE.match(line) is not None:
            return "ethtool-m", _outside(output, "m")
    is_piece = _SPEED_LINE.search(output.head(6)) is not None and _DUPLEX_LINE.search(output.head(8)) is not None
    return ("ethtool", None) if is_piece or all(map(output.head().__contains__, _WITHOUT_HEAD)) else None


def _json_kind(values: dict[str, Any]) -> str | None:
    """The format of an object of JSON, by names that only it has."""
    if any(isinstance(value, dict) and {"active", "fixed"} <= value.keys() for value in values.values()):
        return "ethtool-k"
    return next((kind for name, kind in _JSON_KINDS if name in values), None)


def _objects(output: Output) -> list[dict[str, Any]]:
    """The objects of JSON, one for each interface."""
    if '"ifname"' not in output.head(4):
        return []
    return [item for value in output.json for item in objects(value)]


def _outside(output: Output, option: str) -> str | None:
    """The interface as the command line or the name of the file says it."""
    words = output.command
    if words and words[0] == "ethtool" and any(_OPTIONS.get(word) == option for word in words):
        return next((word for word in words[1:] if not word.startswith("-")), None)
    name = _FROM_FILE.search(output.source_file[-200:])
    # A file's name that is of no capture may have another word there; interfaces have a number.
    is_port = name is not None and name["option"] == option and re.search(r"\d", name["interface"])
    return name["interface"] if name is not None and is_port else None


def read(output: Output) -> Facts:
    """Read one of ethtool's outputs."""
    kind, interface = _kind(output) or ("ethtool", None)
    facts = output.facts(kind, {"interface": interface})
    for item in _objects(output):
        if str(item.get("ifname")) == interface:
            _from_json(facts, item)
            return facts
    readers: dict[str, Callable[[Output, Facts], None]] = {
        "ethtool": _settings,
        "ethtool-i": _driver,
        "ethtool-k": _features,
        "ethtool-g": _rings,
        "ethtool-l": _rings,
        "ethtool-c": _coalescing,
        "ethtool-a": _pause,
        "ethtool-m": _module,
    }
    readers[kind](output, facts)
    return facts


def _from_json(facts: Facts, values: dict[str, Any]) -> None:
    """Take over an object of JSON, under the names that the form for people gives the same facts."""
    if facts.format == "ethtool-k":
        flags = {
            name: state
            for name, state in values.items()
            if isinstance(state, dict) and isinstance(state.get("active"), bool)
        }
        facts.values["features"] = {name: state["active"] for name, state in flags.items()}
        facts.values["fixed"] = [name for name, state in flags.items() if state.get("fixed") is True]
        wanted = {name: state.get("requested") for name, state in flags.items()}
        facts.values["requested"] = {
            name: value for name, value in wanted.items() if isinstance(value, bool) and value != flags[name]["active"]
        }
        return
    if facts.format == "ethtool":
        speed, duplex, port = (values.get(name) for name in ("speed", "duplex", "port"))
        known = speed if isinstance(speed, int) and 1 < speed < _UNKNOWN_SPEED else None
        facts.values.update(speed_bps=None if known is None else known * 10**6, port=_known(str(port or "")))
        facts.values.update(duplex=_known(str(duplex or "").lower()))
        for fact, name in (("autoneg", "auto-negotiation"), ("link_detected", "link-detected")):
            facts.values[fact] = flag if isinstance(flag := values.get(name), bool) else None
        return
    names = {"autonegotiate": "autoneg"}
    if facts.format == "ethtool-c":  # older versions call them so
        names = {"rx": "adaptive_rx", "tx": "adaptive_tx"}
    for name, value in values.items():
        if name != "ifname" and isinstance(value, (bool, int)):
            facts.values[names.get(name, name.replace("-", "_"))] = value


def _known(text: str) -> str | None:
    """The text, or None if it states that nothing is set."""
    gone = text.lower()
    return None if not text or gone in ("n/a", "none", "not reported") or gone.startswith("unknown") else text


def _yes(text: str, yes: str = "on", no: str = "off") -> bool | None:
    word = text.lower().split(" ", 1)[0]
    return True if word == yes else False if word == no else None


_SETTING_FIELDS: Final[labels.Fields] = {
    "Duplex": ("duplex", lambda text: known.lower() if (known := _known(text)) else None),
    "Port": ("port", _known),
    "Transceiver": ("transceiver", _known),
    "Auto-negotiation": ("autoneg", _yes),
    "Link detected": ("link_detected", lambda text: _yes(text, "yes", "no")),
    "Lanes": ("lanes", amounts.whole),
}
_PAUSE_FIELDS: Final[labels.Fields] = {
    "Autonegotiate": ("autoneg", _yes),
    "RX": ("rx", _yes),
    "TX": ("tx", _yes),
    "RX negotiated": ("rx_negotiated", _yes),
    "TX negotiated": ("tx_negotiated", _yes),
}


def _settings(output: Output, facts: Facts) -> None:
    facts.values.update(speed_bps=None, duplex=None, port=None, autoneg=None, link_detected=None)
    inside: str | None = None
    modes: dict[str, list[int]] = {}
    for number, line in output.numbered():
        field = labelled(number, line)
        if field is None or "/Full" in field.name or "/Half" in field.name:
            if inside is not None:
                modes[inside].extend(int(mode["mbps"]) for mode in _MODE.finditer(line))
            continue
        inside = field.name if field.name in _MODES else None
        if inside is not None:
            modes[inside] = [int(mode["mbps"]) for mode in _MODE.finditer(field.value)]
        _setting(field, facts)
    for name, speeds in modes.items():
        fact = {"Supported link modes": "supported", "Advertised link modes": "advertised"}.get(name, "partner")
        facts.values[f"{fact}_max_bps"] = max(speeds) * 10**6 if speeds else None


def _setting(line: Labelled, facts: Facts) -> None:
    values, text = facts.values, line.value
    if line.name == "Speed":
        speed = _SPEED.match(text)
        values["speed_bps"] = int(speed["number"]) * _PREFIX[speed["unit"]] if speed else None
        if speed is None and _known(text) is not None:
            facts.problem(line.number, "malformed", f"Speed: found {text[:40]!r}, expected a rate in Mb/s; left out")
    else:
        labels.take(values, _SETTING_FIELDS, line.name, text)


def _driver(output: Output, facts: Facts) -> None:
    names = {"driver": "driver", "version": "version", "firmware-version": "firmware_version", "bus-info": "bus_info"}
    facts.values.update(dict.fromkeys(names.values()))
    for _, line in output.numbered():
        name, colon, value = line.strip().partition(":")
        if colon and name in names:
            facts.values[names[name]] = _known(value.strip())


def _features(output: Output, facts: Facts) -> None:
    features: dict[str, bool] = {}
    fixed: list[str] = []
    requested: dict[str, bool] = {}
    facts.values.update(features=features, fixed=fixed, requested=requested)
    for field in all_labelled(output.numbered()):
        flag = _FLAG.match(field.value)
        if flag is None or " " in field.name:
            continue
        features[field.name] = flag["value"] == "on"
        if "[fixed]" in flag["rest"]:
            fixed.append(field.name)
        elif "[requested on]" in flag["rest"] or "[requested off]" in flag["rest"]:
            requested[field.name] = "[requested on]" in flag["rest"]


def _rings(output: Output, facts: Facts) -> None:
    names = ("rx", "tx", "rx_mini", "rx_jumbo") if facts.format == "ethtool-g" else ("rx", "tx", "other", "combined")
    for name in names:
        facts.values[name] = facts.values[f"{name}_max"] = None
    largest = False
    for number, line in output.numbered():
        if line.strip().startswith("Pre-set maximums"):
            largest = True
        elif line.strip().startswith("Current hardware settings"):
            largest = False
        elif (field := labelled(number, line)) is not None:
            name = field.name.lower().replace(" ", "_")
            if name in names:
                facts.values[f"{name}_max" if largest else name] = amounts.whole(field.value.split(" ", 1)[0])


def _coalescing(output: Output, facts: Facts) -> None:
    for number, line in output.numbered():
        if (adaptive := _ADAPTIVE.match(line)) is not None:
            facts.values["adaptive_rx"] = _yes(adaptive["rx"])
            facts.values["adaptive_tx"] = _yes(adaptive["tx"])
        elif (field := labelled(number, line)) is not None and re.fullmatch(
            r"[a-z]{1,20}(?:-[a-z]{1,20}){1,4}", field.name
        ):
            facts.values[field.name.replace("-", "_")] = amounts.whole(field.value.split(" ", 1)[0])


def _pause(output: Output, facts: Facts) -> None:
    for field in all_labelled(output.numbered()):
        labels.take(facts.values, _PAUSE_FIELDS, field.name, field.value)


def _module(output: Output, facts: Facts) -> None:
    values: dict[str, Any] = facts.values
    kind = next((first["kind"] for line in output.lines if (first := _MODULE.match(line)) is not None), None)
    texts = {"Vendor name": "vendor", "Vendor PN": "part", "Vendor rev": "revision"}
    values.update(identifier=kind, vendor=None, part=None, nominal_baud=None, length_copper_m=None)
    for field in all_labelled(output.numbered()):
        if field.name in texts:
            values[texts[field.name]] = _known(field.value)
        elif field.name.startswith("BR, Nominal") or field.name == "BR Nominal":
            baud = _BAUD.match(field.value)
            values["nominal_baud"] = float(int(baud["number"]) * _PREFIX[baud["unit"]]) if baud else None
        elif field.name.startswith("Length (Copper"):
            values["length_copper_m"] = _metres(field.value)
        elif field.name in ("Length (SMF)", "Length (SMF,km)"):
            values["length_single_mode_m"] = _metres(field.value) or values.get("length_single_mode_m")
        elif field.name == "Laser wavelength":
            number = re.match(r"\d{1,5}(?:\.\d{1,3})?", field.value)
            values["wavelength_m"] = round(float(number[0]) * 1e-9, 12) if number else None


def _metres(text: str) -> int | float | None:
    match = _LENGTH.match(text)
    if match is None:
        return None
    metres = float(match["number"]) * {"km": 1000.0, "m": 1.0, "cm": 0.01, None: 1.0}[match["unit"]]
    return int(metres) if metres.is_integer() else metres
