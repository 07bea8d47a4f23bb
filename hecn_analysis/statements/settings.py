"""Settings of the kernel: ``sysctl``, and files of settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_SETTING: Final = re.compile(
    r"^\s{0,40}(?:[#$] ?sysctl (?:-w )?)?(?:net[./](?:ipv4|core)[./])"
    r"(tcp_rmem|tcp_wmem|rmem_max|wmem_max|tcp_congestion_control)\s{0,20}[=:]\s{0,20}([\w \t]{1,80}?)\s{0,40}$"
)
#: FreeBSD's and macOS's limits of the buffers that they tune, in bytes.
_OF_BSD: Final = re.compile(
    r"^\s{0,40}(?:[#$] ?sysctl (?:-w )?)?net\.inet\.tcp\.(?:auto)?(rcv|recv|snd|send)buf_?max"
    r"\s{0,20}[=:]\s{0,20}(\d{4,12})\b"
)
_NAMES: Final = {
    "tcp_rmem": "kernel.receive_buffer_bytes",
    "tcp_wmem": "kernel.send_buffer_bytes",
    "rmem_max": "kernel.receive_request_bytes",
    "wmem_max": "kernel.send_request_bytes",
    "tcp_congestion_control": "kernel.congestion_control",
}


def find(document: Document) -> Iterator[Statement]:
    """Find the largest buffers and the congestion control."""
    end = end_of(document.source_file)
    for number, text in enumerate(document.lines, 1):
        if "net" not in text:
            continue
        if (bsd := _OF_BSD.match(text)) is not None:
            name = _NAMES["tcp_rmem" if bsd[1].startswith("r") else "tcp_wmem"]
            yield Statement(name, float(bsd[2]), document.source_file, number, text.strip(), end)
        if (match := _SETTING.match(text)) is None:
            continue
        setting, words = match[1], match[2].split()
        value: float | str = words[-1]
        if setting != "tcp_congestion_control":
            if not all(word.isdecimal() and len(word) < 16 for word in words):
                continue
            value = float(words[-1])
        yield Statement(_NAMES[setting], value, document.source_file, number, text.strip(), end)
