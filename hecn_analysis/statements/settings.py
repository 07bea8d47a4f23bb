"""Settings of the kernel: ``sysctl``, and files of settings; and which system it is."""

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
#: Marks of the system of the host that wrote a text.
_SYSTEMS: Final = re.compile(
    r"(?P<Linux>^Linux \S{1,80} (?:\d+\.\d|\()|\"system_info\"\s?:\s?\"Linux |^\s{0,9}net\.ipv4\.tcp_[rw]mem)"
    r"|(?P<FreeBSD>^FreeBSD \S{1,80} \d|\"system_info\"\s?:\s?\"FreeBSD |^\s{0,9}net\.inet\.tcp\.(?:recv|send)buf_max)"
    r"|(?P<macOS>Darwin Kernel Version|\"system_info\"\s?:\s?\"Darwin |^\s{0,9}net\.inet\.tcp\.auto(?:rcv|snd)bufmax)"
    r"|(?P<Windows>\bCYGWIN_NT-|^PS [A-Z]:\\|^[A-Z]:\\[^>\n]{0,120}>|^TCP Global Parameters|^Microsoft Windows \[)",
    re.MULTILINE,
)
_NAMES: Final = {
    "tcp_rmem": "kernel.receive_buffer_bytes",
    "tcp_wmem": "kernel.send_buffer_bytes",
    "rmem_max": "kernel.receive_request_bytes",
    "wmem_max": "kernel.send_request_bytes",
    "tcp_congestion_control": "kernel.congestion_control",
}


def find(document: Document) -> Iterator[Statement]:
    """Find the largest buffers, the congestion control, and the system."""
    end = end_of(document.source_file)
    if (system := _SYSTEMS.search(document.text)) is not None and system.lastgroup is not None:
        number = document.text.count("\n", 0, system.start()) + 1
        says = document.lines[number - 1].strip()[:120]
        yield Statement("host.system", system.lastgroup, document.source_file, number, says, end)
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
