"""Packet captures, analysed against printed: ours reads the headers and measures each direction, tcpdump prints a line.

The capture is that of one connection, cut to 96 bytes of each packet, as `tcpdump -s 96` writes it.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import harness
from hecn_analysis.captures import read_capture

_PACKETS = 200_000
_CUT = 96


def _packet(number: int) -> bytes:
    """A record: two segments of data, then their acknowledgement."""
    is_ack = number % 3 == 2
    segments = number // 3 * 2 + (number % 3) * (not is_ack) + 2 * is_ack
    length = 0 if is_ack else 1448
    ports, place = ((5001, 40000), (1, 1 + 1448 * segments)) if is_ack else ((40000, 5001), (1 + 1448 * segments, 1))
    hosts = [bytes([10, 0, 0, 2]), bytes([10, 0, 0, 1])] if is_ack else [bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])]
    tcp = (
        struct.pack(">HHIIBBHHH", *ports, *place, 0x80, 16, 512, 0, 0)
        + b"\x01\x01\x08\x0a"
        + struct.pack(">II", number // 100 + 1, number // 100)
    )
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 52 + length, 1, 0, 64, 6, 0) + b"".join(hosts)
    frame = (bytes(12) + b"\x08\x00" + ip + tcp + bytes(length))[:_CUT]
    return struct.pack("<IIII", 1 + number // 100_000, number % 100_000 * 10, len(frame), 66 + length) + frame


@contextmanager
def pairs() -> Iterator[list[harness.Pair]]:
    """Give the pair, where tcpdump is installed."""
    program = shutil.which("tcpdump")
    if program is None:
        harness.leave_out("captures: tcpdump is not installed (Debian, Ubuntu: apt install tcpdump)")
        yield []
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "transfer.pcap")
        head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, _CUT, 1)
        path.write_bytes(head + b"".join(map(_packet, range(_PACKETS))))
        yield [
            harness.Pair(
                f"analyse a capture of {_PACKETS} packets",
                "tcpdump prints it",
                lambda: read_capture(path),
                harness.program(program, "-nn", "-r", str(path)),
                1.0,
            )
        ]
