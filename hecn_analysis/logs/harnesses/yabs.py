"""Output of YABS, a script that people run on rented servers: iperf3 to public servers, and fio on the disk.

Versions: 2020 to 2026. One run for each direction to each server, and for reads and writes of each size of blocks.

Units and traps
---------------
- "Send Speed" is that from this host. "busy" is a server that did not answer.
- "MB/s" of the disk are 1000 KiB/s in some versions, 10**6 bytes/s in others: the operations a second beside them,
  times the size of a block, tell which. The first cell of a table counts: it has the most digits.
- Reads and writes of the disk run at the same time; "Total" is their sum, and is left out.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale, size

_N: Final = r"\d{1,6}(?:\.\d{1,3})?"
_SERVERS: Final = re.compile(
    r"Provider\s{1,20}\| Location \(Link\)\s{1,30}\| Send Speed\s{1,20}\| Recv Speed(?P<ping>\s{1,20}\| Ping)?"
)
_SPEED: Final = re.compile(rf"(?P<n>{_N}) (?P<unit>[KMG]?)bits/sec|(?P<none>busy|-{{1,8}})")
_PING: Final = re.compile(rf"(?P<ms>{_N}) ms")
_SIZES: Final = re.compile(
    r"Block Size \| (?P<first>\d{1,4}[km])\s{1,20}\(IOPS\) \| (?P<second>\d{1,4}[km])\s{1,20}\(IOPS\)"
)
_DISK: Final = re.compile(
    rf"\b(?P<way>Read|Write)\s{{1,12}}\| (?P<first>{_N} [KMG]B/s\s{{1,8}}\({_N}[km]?\))\s{{1,8}}"
    rf"\| (?P<second>{_N} [KMG]B/s\s{{1,8}}\({_N}[km]?\))"
)
_CELL: Final = re.compile(rf"(?P<n>{_N}) (?P<unit>[KMG])B/s\s{{1,8}}\((?P<ops>{_N})(?P<kilo>[km]?)\)")
_WAYS: Final = {"send": 2, "receive": 3}
_HALF_WAY: Final = 0.9883  # between 1 and 1000 / 1024


class Yabs:
    """Reader of YABS."""

    TOOLS: tuple[str, ...] = ("yabs", "yabs.sh")
    VERSIONS: str = "2020 to 2026"
    DATED: bool = True  # the first cell of a row looks like the prefix of a container
    HINTS: tuple[str, ...] = ("| Location (Link)", "bits/sec ", "| busy ", "Block Size |", "Read  ", "Write  ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._forget()

    def _forget(self) -> None:
        self._cells = 0  # of a row of servers
        self._sizes: tuple[str, str] | None = None
        self._is_binary: bool | None = None

    def feed(self, line: Line) -> bool:
        """Take a heading, or a row of servers or of the disk."""
        if (heading := _SERVERS.search(line.text)) is not None:
            self._cells = 4 if heading["ping"] is None else 5
        elif (match := _SIZES.search(line.text)) is not None:
            self._sizes = match["first"], match["second"]
        elif self._sizes is not None and line.text.lstrip().startswith(("Read ", "Write ")):
            self._disk(line, self._sizes)
        elif self._cells and len(line.text.strip().strip("|").split("|")) == self._cells:
            self._server(line)
        else:
            return False
        return True

    def finish(self) -> None:
        """Forget the headings."""
        self._forget()

    def _server(self, line: Line) -> None:
        cells = [cell.strip() for cell in line.text.strip().strip("|").split("|")]
        if not cells[0].strip("-"):
            return
        rtt = _PING.fullmatch(cells[4]) if len(cells) > 4 else None
        for direction, place in _WAYS.items():
            speed = _SPEED.fullmatch(cells[place])
            if speed is None:
                report_damaged_line(self._findings, line, "a speed such as '876 Mbits/sec', or 'busy'; left out")
            elif speed["n"]:
                columns: dict[str, object] = {
                    "protocol": "tcp",
                    "label": f"{cells[0]}, {cells[1]}",
                    "direction": direction,
                    "rtt_s": None if rtt is None else float(rtt["ms"]) / 1e3,
                }
                self._run(line, columns, float(speed["n"]) * scale(speed["unit"], 1000))

    def _disk(self, line: Line, sizes: tuple[str, str]) -> None:
        row = _DISK.search(line.text)
        if row is None:
            report_damaged_line(self._findings, line, "'Read | … MB/s (…) | … MB/s (…)'; left out")
            return
        for name, block in zip(("first", "second"), sizes, strict=True):
            cell = _CELL.match(row[name])
            if cell is None:  # never: the row has the cell's form
                continue
            rate = float(cell["n"]) * scale(cell["unit"], 1000)
            iops = float(cell["ops"]) * scale(cell["kilo"], 1000)
            if self._is_binary is None:
                self._is_binary = rate < _HALF_WAY * iops * float(size(block) or 0)
            columns: dict[str, object] = {
                "protocol": "file",
                "iops": iops,
                "direction": f"random_{row['way'].lower()}",
                "circumstances": f"blocks of {block}, reads and writes at the same time",
            }
            self._run(line, columns, 8 * rate * (1.024 if self._is_binary else 1))

    def _run(self, line: Line, columns: dict[str, object], rate: float) -> None:
        self._findings.run(Run(line.number, line.number, {"tool": "yabs", **columns, "throughput_bps": rate}))
