"""Removes from a capture what identifies the machine: each value gets the same placeholder in every file.

Serial numbers and asset tags, MAC addresses, world wide names and GUIDs, UUIDs, host names and IP addresses are
replaced. A placeholder has the form of the original (a MAC address becomes a MAC address), so that readers still
understand the files. Versions that look like addresses remain if their line calls them versions; host names that are
ordinary words (``server``, ``vm``) remain unless a label marks them as host names.

Values in a form unknown to this module are not recognised: review a capture before you share it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

_SEPARATED: Final = r"[ \t]{0,40}[:=][ \t]{0,40}"

#: A serial number or an asset tag, recognised by its label; the group ``value`` holds it.
_SERIAL: Final = (
    re.compile(
        r"(?im)^(?P<label>.{0,60}?\b(?:serial(?: (?:number|no\.?|num))?|sn|s/n|asset[ _]tag|service[ _]tag|vendor sn|"
        r"(?:drive|board|chassis|product|controller|unit|bbu|battery) serial(?: number)?|unique id(?:entifier)?)"
        rf"(?:\])?{_SEPARATED})(?P<value>\S[^\n\"<>,]{{0,80}}?)(?P<end>[ \t)]{{0,40}})$"
    ),
    re.compile(
        r"(?i)(?P<label>\"(?:[\w ]{0,30}serial(?:[ _]?(?:number|no|num))?|sn|asset[ _]?tag|inquiry data|nguid)\""
        r"\s{0,8}:\s{0,8}\")(?P<value>[^\"\n]{1,200})(?P<end>\")"
    ),
    re.compile(
        r"(?i)(?P<label>name=\"[^\"\n]{0,60}(?:serial|asset_?tag)[^\"\n]{0,30}\" value=\")"
        r"(?P<value>[^\"\n]{1,200})(?P<end>\")"
    ),
    re.compile(r"(?i)(?P<label><serial>)(?P<value>[^<\n]{1,200})(?P<end></serial>)"),
    # MegaCli: the serial number runs into the model (SATA), or comes after model and revision (SAS)
    re.compile(
        r"(?P<label>Inquiry Data:\s{0,20})(?P<value>(?=\S*\d)\S{5,20}?)(?P<end>\s{0,20}(?:WDC|ST\d|Hitachi|HGST|"
        r"TOSHIBA|SAMSUNG|Samsung|INTEL|Micron|MTFD|Crucial|KINGSTON))"
    ),
    re.compile(
        r"(?m)(?P<label>Inquiry Data:\s{0,20}[A-Z-]{2,8}\s{1,9}\S{4,16}\s{1,12})(?P<value>\S{6,30})(?P<end>\s*)$"
    ),
)
_DEVICE_SERIAL: Final = re.compile(
    r"(?i)(?P<label>Device Serial Number )(?P<value>[0-9a-f]{2}(?:-[0-9a-f]{2}){7})(?P<end>)"
)
_HOSTS: Final = (
    re.compile(r"(?m)(?P<label>^Linux )(?P<value>[\w.-]+)(?P<end> \d+\.\d)"),
    re.compile(r"(?m)(?P<label>^kernel\.(?:host|domain)name\s?=\s?)(?P<value>[\w.-]+)(?P<end>)"),
    re.compile(r"(?i)(?P<label>name=\"HostName\" value=\")(?P<value>[^\"\n]+)(?P<end>\")"),
    re.compile(r"(?i)(?P<label>\"host_?name\"\s{0,8}:\s{0,8}\")(?P<value>[^\"\n]+)(?P<end>\")"),
    re.compile(r"(?im)(?P<label>^\s{0,20}host ?name\s{0,30}[:=]\s{0,30})(?P<value>[\w.-]+)(?P<end>)"),
    re.compile(r"(?P<label>local to host )(?P<value>[\w.-]+)(?P<end>)"),
    re.compile(r"(?m)(?P<label>^\s{0,20}Name : )(?P<value>[\w.-]+)(?P<end>:\S)"),
    re.compile(r"(?m)(?P<label>^\[?[\w.-]{1,32}@)(?!pci\d{1,5}:)(?P<value>[\w.-]+)(?P<end>[ :~\]])"),
)
_UUID: Final = re.compile(
    r"(?i)(?<![0-9a-f-])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}(?::[0-9a-f]{8}){3})(?![0-9a-f-])"
)
_MAC: Final = re.compile(
    r"(?i)(?<![0-9a-f:-])(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5})(?![0-9a-f:-])"
)
_LONG_MAC: Final = re.compile(r"(?i)(?<![0-9a-f:])[0-9a-f]{2}(?::[0-9a-f]{2}){7,19}(?![0-9a-f:])")
_MAC_IN_NAME: Final = re.compile(r"(?i)(?<=enx)[0-9a-f]{12}(?![0-9a-f])")
_WWN: Final = (
    re.compile(
        r"(?i)(?P<label>(?<![0-9a-f])(?:0x|naa\.|wwn-0x)?)(?P<value>[56][0-9a-f]{15}(?:[0-9a-f]{16})?)(?P<end>(?![0-9a-f]))"
    ),
    re.compile(r"(?i)(?P<label>WWN Device Id:\s{0,20})(?P<value>[0-9a-f](?: [0-9a-f]{6} [0-9a-f]{9}))(?P<end>)"),
    re.compile(
        r"(?i)(?P<label>(?:guid|wwn|sas address[^:=\n]{0,10}|eui64|eui|enclosure logical id)[\"\s]{0,20}[:=.]"
        r"[\s\"(]{0,30}(?:0x)?)(?P<value>[0-9a-f]{16}|[0-9a-f]{4}(?::[0-9a-f]{4}){3})(?P<end>(?![0-9a-f:]))"
    ),
    re.compile(r"(?i)(?P<label>GUID\" value=\")(?P<value>[0-9a-f]{4}(?::[0-9a-f]{4}){3})(?P<end>\")"),
)
#: smartctl's JSON splits a world wide name into decimal numbers.
_NUMBERS: Final = re.compile(r"(?s)(?P<label>\"(?:wwn|eui64)\"\s{0,8}:\s{0,8}\{)(?P<value>[^{}]{0,200})(?P<end>\})")
_IP4: Final = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d|-?\w)")
_IP6: Final = re.compile(r"(?i)(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])")
_VERSION: Final = re.compile(r"(?i)version|firmware|\bfw\b|revision|bios|driver|release|\bVPD\b|kernel\.osrelease")

_NO_SERIAL: Final = frozenset(
    {
        *("none", "unknown", "n/a", "na", "no", "0", "-", "removed", "unspecified", "virtual", "not specified"),
        *("not available", "not provided", "not present", "none specified", "no asset tag", "default string"),
        *("to be filled by o.e.m.", "to be filled by oem", "system serial number", "chassis serial number"),
        "base board serial number",
    }
)
_ORDINARY: Final = frozenset(
    {
        *("localhost", "none", "vm", "linux", "server", "storage", "node", "host", "system", "disk", "network"),
        *("memory", "cpu", "net", "kernel", "dev", "fs", "debian", "ubuntu", "centos", "rocky", "fedora"),
    }
)
_SHORTEST: Final = 5  # a serial number this long with a digit is replaced everywhere, not only after its label


class Redactor:
    """Placeholders for the values seen so far, and for the known names of the host."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        self._stand_ins: dict[str, dict[str, str]] = {}
        self._everywhere: dict[str, str] = {}
        for host in hosts:
            self._host(host)

    # values to replace ------------------------------------------------------------------------------------------------

    def learn(self, text: str) -> None:
        """Collect serial numbers and host names, which other files may contain without a label."""
        for pattern in _SERIAL:
            for match in pattern.finditer(text):
                self._serial(match["value"])
        for pattern in _HOSTS:
            for match in pattern.finditer(text):
                self._host(match["value"])

    def _stand_in(self, kind: str, value: str, make: Callable[[int], str]) -> str:
        known = self._stand_ins.setdefault(kind, {})
        if value not in known:
            known[value] = make(len(known) + 1)
        return known[value]

    def _serial(self, value: str) -> str:
        value = value.strip()
        if not value or value.lower() in _NO_SERIAL or value in self._stand_ins.get("serial", {}).values():
            return value
        if _MAC.fullmatch(value) or _UUID.fullmatch(value):
            return value  # replaced by its form
        stand_in = self._stand_in("serial", value, lambda number: f"SERIAL-{number}")
        if len(value) >= _SHORTEST and any(map(str.isdigit, value)):
            self._everywhere[value] = stand_in
        return stand_in

    def _host(self, name: str) -> str:
        name = name.strip(".")
        short, _, domain = name.partition(".")
        if not name or name.lower() == "(none)" or name in self._stand_ins.get("host", {}).values():
            return name
        stand_in = self._stand_in("host", short, lambda number: f"host-{number}")
        if short.lower() not in _ORDINARY:
            self._everywhere[short] = stand_in
        if domain:
            self._everywhere[name] = stand_in
            self._everywhere[domain] = "example.net"
        return stand_in

    # replacement -----------------------------------------------------------------------------------------------------

    def clean(self, text: str) -> str:
        """Return the text with placeholders."""
        text = _NUMBERS.sub(lambda match: match["label"] + re.sub(r"\d+", "0", match["value"]) + match["end"], text)
        for pattern in _SERIAL:
            text = self._labelled(pattern, self._serial, text)
        for pattern in _HOSTS:
            text = self._labelled(pattern, self._host, text)
        text = self._labelled(_DEVICE_SERIAL, self._eui, text)
        for pattern in _WWN:
            text = self._labelled(pattern, self._wwn, text)
        text = _UUID.sub(lambda match: self._uuid(match[0]), text)
        text = _MAC.sub(lambda match: self._mac(match[0]), text)
        text = _LONG_MAC.sub(lambda match: self._long_mac(match[0]), text)
        text = _MAC_IN_NAME.sub(lambda match: self._mac_in_name(match[0]), text)
        text = _IP6.sub(lambda match: self._ip6(match[0]), text)
        text = "\n".join(
            line if _VERSION.search(line) else _IP4.sub(lambda match: self._ip4(match[0]), line)
            for line in text.split("\n")
        )
        return self._others(text)

    @staticmethod
    def _labelled(pattern: re.Pattern[str], stand_in: Callable[[str], str], text: str) -> str:
        return pattern.sub(lambda match: match["label"] + stand_in(match["value"]) + match["end"], text)

    def _others(self, text: str) -> str:
        """Replace serial numbers and host names wherever they occur as words."""
        if not self._everywhere:
            return text
        stand_ins: Mapping[str, str] = self._everywhere
        words = "|".join(re.escape(word) for word in sorted(stand_ins, key=len, reverse=True))
        return re.sub(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])", lambda match: stand_ins[match[0]], text)

    def _uuid(self, value: str) -> str:
        plain = re.sub(r"[^0-9a-f]", "", value.lower())
        number = int(self._stand_in("uuid", plain, str))
        if set(plain) == {"0"}:
            return value
        if ":" in value:
            return f"00000000:00000000:00000000:{number:08x}"
        return f"00000000-0000-4000-8000-{number:012x}"

    def _mac(self, value: str) -> str:
        plain = re.sub(r"[^0-9a-f]", "", value.lower())
        if plain in {"0" * 12, "f" * 12} or plain.startswith("02000000"):
            return value
        stand_in = self._stand_in(
            "mac", plain, lambda number: f"02:00:00:{number >> 16:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"
        )
        return stand_in.replace(":", "-") if "-" in value else stand_in

    def _mac_in_name(self, value: str) -> str:
        return self._mac(":".join(value[start : start + 2] for start in range(0, 12, 2))).replace(":", "")

    def _long_mac(self, value: str) -> str:
        if set(value.lower()) <= set("0f:"):
            return value
        number = int(self._stand_in("long mac", value.lower(), str))
        parts = [f"{number >> 8 * place & 255:02x}" for place in reversed(range(value.count(":") + 1))]
        return ":".join(["02", *parts[1:]])

    def _eui(self, value: str) -> str:
        number = int(self._stand_in("eui", value.lower(), str))
        return "-".join(["02", *(f"{number >> 8 * place & 255:02x}" for place in reversed(range(7)))])

    def _wwn(self, value: str) -> str:
        plain = re.sub(r"[^0-9a-f]", "", value.lower())
        if len(set(plain)) < 4:  # a mask, not a name
            return value
        number = int(self._stand_in("wwn", plain, str)) if not re.match(r"^50{9}", plain) else 0
        if not number:
            return value
        if ":" in value:
            return f"0200:0000:0000:{number:04x}"
        return f"5 000000 {number:09x}" if " " in value else f"5{number:0{len(plain) - 1}x}"

    def _ip4(self, value: str) -> str:
        try:
            address = ipaddress.IPv4Address(value)
        except ValueError:
            return value
        own = address in ipaddress.IPv4Network("198.18.0.0/15")
        if address.is_loopback or address.is_unspecified or address.is_multicast or own or value.startswith("255."):
            return value
        return self._stand_in(
            "ip4", value, lambda number: f"198.{18 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
        )

    def _ip6(self, value: str) -> str:
        try:
            address = ipaddress.IPv6Address(value)
        except ValueError:
            return value
        own = address in ipaddress.IPv6Network("2001:db8::/32")
        if (
            address.is_loopback
            or address.is_unspecified
            or address.is_multicast
            or own
            or address.packed[2:] == bytes(14)
        ):
            return value
        return self._stand_in("ip6", address.exploded, lambda number: f"2001:db8::{number:x}")
