"""The configuration space of a PCI device, from its bytes: what it is, its PCI Express link, its PCI-X settings.

Layout: PCI Local Bus Specification 3.0, section 6 (header, list of capabilities), PCI-X Addendum 2.0, section 7 (PCI-X
capability), PCI Express Base Specification 4.0, section 7.5 (PCI Express capability).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

#: Transfers per second of a lane, in GT/s, by the code in Link Capabilities and Link Status.
SPEEDS: Final = {1: 2.5, 2: 5, 3: 8, 4: 16, 5: 32, 6: 64}
#: Kinds of devices and ports, by the code in PCI Express Capabilities, in the words of lspci.
TYPES: Final = {
    0: "Endpoint",
    1: "Legacy Endpoint",
    4: "Root Port",
    5: "Upstream Port",
    6: "Downstream Port",
    7: "PCI-Express to PCI/PCI-X Bridge",
    8: "PCI/PCI-X to PCI-Express Bridge",
    9: "Root Complex Integrated Endpoint",
    10: "Root Complex Event Collector",
}
_NO_LINK: Final = {9, 10}
_PCI_X, _PCI_EXPRESS = 0x07, 0x10
_OUTSTANDING: Final = (1, 2, 3, 4, 8, 12, 16, 32)
_PCI_X_CLOCKS: Final = {1: 66e6, 2: 100e6, 3: 133e6}
_HEADER: Final = 64
_BRIDGE, _CARDBUS = 1, 2
_MOST: Final = 48  # capabilities of four bytes that fit behind the header


def decode(content: bytes) -> dict[str, Any]:
    """Facts of a device by the names that `lspci` has for them; absent where the bytes do not reach."""
    if len(content) < _HEADER or content[:2] == b"\xff\xff":
        return {}
    facts: dict[str, Any] = {
        "vendor_device": f"{_word(content, 0):04x}:{_word(content, 2):04x}",
        "class_code": f"{content[0x0B]:02x}{content[0x0A]:02x}",
    }
    kind = content[0x0E] & 0x7F
    if kind == 0:
        facts["subsystem"] = f"{_word(content, 0x2C):04x}:{_word(content, 0x2E):04x}"
    elif kind == _BRIDGE:
        facts["bus_secondary"], facts["bus_subordinate"] = content[0x19], content[0x1A]
    for place in _capabilities(content, kind):
        if content[place] == _PCI_EXPRESS:
            facts.update(_pci_express(content, place))
        elif content[place] == _PCI_X:
            facts.update(_pci_x(content, place, bridge=kind == _BRIDGE))
    return facts


def _word(content: bytes, place: int, size: int = 2) -> int:
    return int.from_bytes(content[place : place + size], "little")


def _capabilities(content: bytes, kind: int) -> Iterator[int]:
    """Where the capabilities begin, each once."""
    if not _word(content, 6) & 0x10:
        return
    place = content[0x14 if kind == _CARDBUS else 0x34] & 0xFC
    seen: set[int] = set()
    while _HEADER <= place <= min(len(content), 256) - 2 and place not in seen and len(seen) < _MOST:
        seen.add(place)
        yield place
        place = content[place + 1] & 0xFC


def _pci_express(content: bytes, place: int) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if place + 0x0C > len(content):
        return facts
    flags, can, control = _word(content, place + 2), _word(content, place + 4, 4), _word(content, place + 8)
    kind = flags >> 4 & 0xF
    facts["express_type"] = TYPES.get(kind)
    facts["max_payload_cap"] = 128 << (can & 7)
    facts["max_payload"] = 128 << (control >> 5 & 7)
    facts["max_read_req"] = 128 << (control >> 12 & 7)
    if kind in _NO_LINK or place + 0x14 > len(content):
        return facts
    link, status = _word(content, place + 0x0C, 4), _word(content, place + 0x12)
    facts["lnkcap_gtps"], facts["lnkcap_width"] = SPEEDS.get(link & 0xF), link >> 4 & 0x3F
    facts["lnksta_gtps"], facts["lnksta_width"] = SPEEDS.get(status & 0xF), status >> 4 & 0x3F
    if flags & 0x100 and place + 0x18 <= len(content):
        facts["slot_number"] = _word(content, place + 0x14, 4) >> 19
    return facts


def _pci_x(content: bytes, place: int, *, bridge: bool) -> dict[str, Any]:
    if place + 8 > len(content):
        return {}
    command, status = _word(content, place + 2), _word(content, place + 4, 4)
    facts: dict[str, Any] = {"pcix_64bit": bool(status & 1 << 16), "pcix_133mhz": bool(status & 1 << 17)}
    if bridge:
        code = command >> 6 & 7  # here the word is Secondary Status
        facts["pcix_secondary_64bit"] = bool(command & 1)
        facts["pcix_secondary_133mhz"] = bool(command & 2)
        facts["pcix_secondary_mode"] = "conv" if code == 0 else "pcix"
        facts["pcix_secondary_freq_hz"] = _PCI_X_CLOCKS.get(code)
        return facts
    facts["pcix_rbc"] = 512 << (command >> 2 & 3)
    facts["pcix_ost"] = _OUTSTANDING[command >> 4 & 7]
    facts["pcix_dmmrbc"] = 512 << (status >> 21 & 3)
    facts["pcix_dmost"] = _OUTSTANDING[status >> 23 & 7]
    return facts
