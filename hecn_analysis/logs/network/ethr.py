"""Output of Ethr (Pankaj Garg, Microsoft): bandwidth over TCP or UDP.

Versions 1.0 and later, from the source code: the client's rows of bandwidth. Tests of latency, connections per second
and packets per second have no rate, and the server's display names no runs: both are not read.

Units and traps
---------------
- Bits/s with K, M, G, T as powers of 1000; with up to two decimals. The seconds are whole.
- There is no result over the whole time. The run has intervals and, from "Ethr done, duration: 10s", a duration, but no
  throughput.
- With several connections the rows of each are followed by ``[  SUM]``; with ``-ncs`` there is only the sum.
- The first second may be short. A last second that is not complete is not printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Array, Command, Run, RunFindings
from hecn_analysis.parsing.amounts import scale

_ROW: Final = re.compile(
    r"\[\s{0,6}(?P<id>\d{1,6}|SUM)\]\s{1,12}(?P<protocol>TCP|UDP)\s{1,12}(?P<start>\d{3,8})-(?P<end>\d{3,8}) sec"
    r"\s{1,12}(?P<rate>\d{1,15}(?:\.\d{1,2})?)(?P<unit>[KMGT]?)(?:\s{1,12}\d{1,15}(?:\.\d{1,2})?[KMGT]?)?\s{0,8}$"
)
_BEGINNING: Final = re.compile(
    r"^Using destination: .{1,200}, port: \d|\[\s{1,2}ID\s?\]\s{1,6}Protocol\s{1,8}Interval\s{1,12}Bits/s"
)
_CONNECTED: Final = re.compile(r"\[\s{0,4}\d{1,6}\] local \S{1,80} port \d{1,5} connected to \S{1,80} port \d{1,5}")
_VERSION: Final = re.compile(r"Ethr: .{0,80}\(Version: (?P<version>[^)]{1,40})\)")
_DONE: Final = re.compile(
    r"Ethr done, (?:duration: (?P<duration>(?:\d{1,6}(?:\.\d{1,9})?(?:h|ms|m|s)){1,4})|(?P<other>.{1,80}))"
)
_ERROR: Final = re.compile(
    r"Error dialing .{1,200}|Failed (?:in handshake|to create the new test|to (?:send|receive) Sync).{0,200}"
)
_PART: Final = re.compile(r"(?P<value>\d{1,6}(?:\.\d{1,9})?)(?P<unit>h|ms|m|s)")
_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}


@dataclass
class _OpenRun:
    """A run whose end has not been read."""

    first: int
    last: int
    command: Command
    version: str | None = None
    protocol: str = "tcp"
    ids: list[str] = field(default_factory=list)
    rows: list[tuple[int, str, float, float, float]] = field(default_factory=list)
    duration: float | None = None
    failed: bool = False


class Ethr:
    """Reader of Ethr."""

    TOOLS: tuple[str, ...] = ("ethr",)
    VERSIONS: str = "1.0 and later, bandwidth as the client prints it"
    HINTS: tuple[str, ...] = (" sec ", "Ethr", "Protocol    Interval", "Using destination", "Error dialing")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of Ethr's."""
        opened, text = self._open, line.text
        if (row := _ROW.search(text)) is not None:
            self._row(line, row)
        elif (version := _VERSION.search(text)) is not None:
            self._begin(line, anew=True).version = version["version"]
        elif _BEGINNING.search(text):
            self._begin(line, anew=opened is not None and bool(opened.rows))
        elif (done := _DONE.search(text)) is not None and opened is not None:
            self._done(line, opened, done)
        elif opened is not None and (_CONNECTED.search(text) or text.startswith("- - - - -")):
            opened.last = line.number
        elif opened is not None and (error := _ERROR.search(text)) is not None:
            self._begin(line, anew=False).failed = True
            self._findings.problem(line.number, "aborted", f"found {error[0][:200]!r}, expected a result")
        else:
            return False
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line, *, anew: bool) -> _OpenRun:
        if anew:
            self._close()
        if self._open is None:
            self._open = _OpenRun(line.number, line.number, self._findings.command)
        self._open.last = line.number
        return self._open

    def _row(self, line: Line, row: re.Match[str]) -> None:
        opened, start = self._open, float(row["start"])
        again = opened is not None and bool(opened.rows) and start < opened.rows[-1][2]
        opened = self._begin(line, anew=again)
        opened.protocol = row["protocol"].lower()
        if row["id"] != "SUM" and row["id"] not in opened.ids:
            opened.ids.append(row["id"])
        rate = float(row["rate"]) * scale(row["unit"], 1000)
        opened.rows.append((line.number, row["id"], start, float(row["end"]), rate))

    def _done(self, line: Line, opened: _OpenRun, done: re.Match[str]) -> None:
        opened.last = line.number
        if done["duration"] is not None:
            opened.duration = sum(
                float(part["value"]) * _SECONDS[part["unit"]] for part in _PART.finditer(done["duration"])
            )
        elif "measurement complete" not in done["other"]:
            opened.failed = True
            self._findings.problem(line.number, "aborted", f"found {done[0].strip()!r}, expected a result")
        self._close()

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        if not opened.rows and not opened.failed:
            self._findings.problem(
                opened.last, "truncated", "found the beginning of a run of Ethr and no bandwidth; no run made"
            )
            return
        columns: dict[str, object] = {
            "tool": "ethr",
            "tool_version": None if opened.version == "UNKNOWN" else opened.version,
            "protocol": opened.protocol,
            "direction": "send",
            "duration_s": opened.duration,
            "streams": len(opened.ids) or None,
            "error": opened.failed,
        }
        if opened.command.program == "ethr" and "-r" in opened.command.arguments:
            columns["direction"] = "receive"
        run = Run(opened.first, opened.last, columns)
        if len(opened.ids) > 1:
            lines = {identity: line for line, identity, *_ in opened.rows}
            run.streams = [{"stream": index, "line": lines[name]} for index, name in enumerate(opened.ids)]
        if opened.rows:
            run.intervals = _intervals(opened)
        self._findings.run(run)


def _intervals(opened: _OpenRun) -> dict[str, Array]:
    """Return the columns of the rows; the rows of a single connection have no stream."""
    place = {name: float(index) for index, name in enumerate(opened.ids)} if len(opened.ids) > 1 else {}
    lines, names, starts, ends, rates = zip(*opened.rows, strict=True)
    return {
        "line": np.array(lines, dtype=float),
        "stream": np.array([place.get(name, np.nan) for name in names]),
        "t_start_s": np.array(starts),
        "t_end_s": np.array(ends),
        "throughput_bps": np.array(rates),
    }
