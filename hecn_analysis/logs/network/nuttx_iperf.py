"""Output of the iperf of NuttX and ESP-IDF: ``0.00-  31.58 sec 1946484736 Bytes  493.09 Mbits/sec``.

Versions: NuttX 7 to 12, ESP-IDF 3 to 5. The row from 0 that spans all others is the result; a log that is cut has
intervals only, and its run has no rate.

Units and traps
---------------
- Mbits are 10**6 bit. NuttX 12 prints bytes; older ones, and ESP-IDF, print no amount.
- "mode=tcp-client" tells protocol and direction, "time" the duration that was asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings

_MODE: Final = re.compile(r"\bmode=(?P<protocol>tcp|udp)-(?P<end>client|server) sip=")
_HEAD: Final = re.compile(r"^\s{0,24}Interval\s{1,12}(?:Transfer\s{1,12})?Bandwidth\s*$")
_ROW: Final = re.compile(
    r"^\s{0,8}(?P<start>\d{1,6}(?:\.\d{1,3})?)-\s{0,8}(?P<end>\d{1,6}(?:\.\d{1,3})?)\s{1,4}sec\s{1,8}"
    r"(?:(?P<bytes>\d{1,18}) Bytes\s{1,8})?(?P<rate>\d{1,9}\.\d{1,3}) Mbits/sec\s*$"
)
_END: Final = re.compile(r"^\s{0,8}iperf exit\s*$")
_WHOLE: Final = 2


@dataclass
class _OpenRun:
    """A run whose end has not been read: start, end, bytes and rate of each row with its line."""

    first: int
    last: int
    mode: re.Match[str] | None
    rows: list[tuple[int, float, float, float, float]] = field(default_factory=list)


class NuttxIperf:
    """Reader of the iperf of NuttX."""

    TOOLS: tuple[str, ...] = ("nuttx-iperf",)
    VERSIONS: str = "NuttX 7 to 12, ESP-IDF 3 to 5"
    HINTS: tuple[str, ...] = ("mode=", "Interval", "Mbits/sec", "iperf exit")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take the mode, the head, a row, or the end."""
        text = line.text
        if (mode := _MODE.search(text)) is not None:
            self.finish()
            self._open = _OpenRun(line.number, line.number, mode)
        elif _HEAD.match(text):
            if self._open is None or self._open.rows:
                self.finish()
                self._open = _OpenRun(line.number, line.number, None)
        elif self._open is not None and (row := _ROW.match(text)) is not None:
            values = (float(row[name] or "nan") for name in ("start", "end", "bytes", "rate"))
            self._open.rows.append((line.number, *values))  # type: ignore[arg-type]
        elif self._open is not None and _END.match(text):
            self._open.last = line.number
            self.finish()
            return True
        else:
            return False
        self._open.last = line.number
        return True

    def finish(self) -> None:
        """Hand over the run."""
        opened, self._open = self._open, None
        if opened is None or not opened.rows:
            return
        rows, total = opened.rows, opened.rows[-1]
        whole = len(rows) >= _WHOLE and total[1] == 0 and total[2] >= rows[-2][2]
        mode = opened.mode
        columns: dict[str, object] = {
            "tool": "nuttx-iperf",
            "protocol": mode["protocol"] if mode else None,
            "direction": {"client": "send", "server": "receive"}[mode["end"]] if mode else None,
        }
        if whole:
            columns |= {"duration_s": total[2], "throughput_bps": 1e6 * total[4]}
            columns["bytes"] = None if np.isnan(total[3]) else int(total[3])
        else:
            self._findings.problem(opened.last, "truncated", "found intervals and no row over all of them; no rate")
        parts = np.array(rows[:-1] if whole else rows)
        run = Run(opened.first, opened.last, columns, rounding=0.02)
        names = ("line", "t_start_s", "t_end_s", "bytes", "throughput_bps")
        run.intervals = dict(zip(names, (parts * [1, 1, 1, 1, 1e6]).T, strict=True))
        run.interval_bytes = float("nan")  # lost lines are no contradiction
        self._findings.run(run)
