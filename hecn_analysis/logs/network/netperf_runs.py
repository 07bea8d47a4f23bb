"""A test of netperf under way: what its command line and its banner say, and its interim results.

`hecn_analysis.logs.network.netperf` describes the tool and reads the lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np
import pandas as pd

from hecn_analysis.logs.contract import Command, Run
from hecn_analysis.logs.network.netperf_tables import DEFAULT, LETTERS
from hecn_analysis.logs.options import option_values

PROTOCOLS: Final[Mapping[str, str]] = {"TCP": "tcp", "UDP": "udp"}
_LAST_STAMP: Final = 9e9


@dataclass
class OpenTest:
    """A test without its result."""

    first: int
    last: int
    command: Command
    kind: str = ""
    protocol: str | None = None
    direction: str | None = None
    banner: bool = False
    failed: bool = False
    interims: list[tuple[int, float, float, float]] = field(default_factory=list)
    connection: dict[str, object] = field(default_factory=dict)

    @classmethod
    def of_command(cls, line: int, command: Command, kind: str) -> Self:
        """Begin a test with the protocol and the direction of its command line."""
        test = cls(line, line, command, kind)
        if command.program == "netperf":
            name = requested_test(command)
            test.protocol = PROTOCOLS.get(name.partition("_")[0])
            test.direction = "receive" if "MAERTS" in name else "send" if name.endswith(("STREAM", "FILE")) else None
        return test

    def take_banner(self, transport: str, what: str) -> None:
        """Take kind, protocol and direction from a banner."""
        self.kind = _kind_of_banner(transport, what)
        self.protocol = PROTOCOLS.get(transport)
        self.direction = "receive" if what in {"MAERTS", "Receive"} else None
        if self.direction is None and (self.kind in {"stream", "datagram"} or what == "Send"):
            self.direction = "send"
        if transport == "OMNI" and self.command.program == "netperf":
            self.protocol = PROTOCOLS.get(option(self.command, "-T").upper() or "TCP")

    def run(self, version: str | None, values: Mapping[str, object]) -> Run:
        """Return the run with the figures of its result."""
        columns: dict[str, object] = {
            "tool": "netperf",
            "tool_version": version,
            "protocol": self.protocol,
            "direction": self.direction,
            "streams": 1,
            **self.connection,
            **{name: value for name, value in values.items() if value is not None},
        }
        duration = columns.get("duration_s")
        rounding = 0.002 + 0.0051 / max(duration if isinstance(duration, float) else 0.0, 0.0051)
        run = Run(self.first, self.last, columns, rounding=rounding)
        if self.interims:
            self._add_intervals(run)
        return run

    def _add_intervals(self, run: Run) -> None:
        """Add the interim results; with time stamps the start of the run is known too."""
        lines, rates, seconds, stamps = (np.array(column, dtype=float) for column in zip(*self.interims, strict=True))
        ends = np.cumsum(seconds)
        known = not np.isnan(stamps).any() and (np.diff(stamps) >= 0).all()
        if known and seconds[0] <= stamps[0] and stamps[-1] < _LAST_STAMP:
            began = stamps[0] - seconds[0]
            ends = np.maximum(np.round(stamps - began, 6), ends[0])
            run.columns["start_time"] = pd.Timestamp(round(1000 * began), unit="ms", tz="UTC")
        run.intervals = {
            "line": lines,
            "t_start_s": np.maximum(np.round(ends - seconds, 6), 0.0),
            "t_end_s": ends,
            "throughput_bps": rates,
        }


def _kind_of_banner(transport: str, what: str) -> str:
    if "REQUEST" in what.upper() or what.startswith("Connect") or "|Recv" in what:
        return "request"
    if transport == "OMNI":
        return "omni"
    return "datagram" if transport in {"UDP", "DG", "DLPI CL"} else "stream"


def kind_of_test(name: str) -> str:
    """Return the kind of a classic test by its name."""
    if name.endswith(("RR", "CC")):
        return "request"
    return "datagram" if name.startswith(("UDP", "DG")) else "stream"


def option(command: Command, name: str) -> str:
    """Return the value of an option, of the test's own ones after ``--`` too; empty where it is absent."""
    return next(option_values(command.arguments, name), "")


def requested_test(command: Command) -> str:
    """Return the name of the test that a command line asks for."""
    return option(command, "-t").upper() or "TCP_STREAM"


def without_titles(command: Command) -> bool:
    """Return whether banner and titles were switched off."""
    return option(command, "-P") == "0"


def unit_of(command: Command) -> str:
    """Return the unit of rates that a command line asks for, else netperf's default."""
    return LETTERS.get(option(command, "-f") if command.program == "netperf" else "", DEFAULT)
