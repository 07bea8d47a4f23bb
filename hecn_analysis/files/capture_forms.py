"""Forms of packet captures by their first bytes: IETF drafts draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng."""

from __future__ import annotations

from typing import Final, Literal

Order = Literal["<", ">"]

#: First bytes of a pcap: its byte order, and nanoseconds of a tick.
PCAP: Final[dict[bytes, tuple[Order, int]]] = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
#: First bytes of a section of a pcapng, and its byte order by bytes 8 to 12.
SECTION: Final = b"\x0a\x0d\x0d\x0a"
ORDERS: Final[dict[bytes, Order]] = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}


def capture_form(start: bytes) -> str | None:
    r"""Return the form of the packet capture that begins with these 12 bytes or more, None for other files."""
    if start[:4] == SECTION:
        return "pcapng" if start[8:12] in ORDERS else None
    return "pcap" if start[:4] in PCAP else None
