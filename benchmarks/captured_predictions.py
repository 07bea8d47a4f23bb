"""Does a host that was captured here predict runs that are made here? Trials on this machine.

Run as `python -m benchmarks.captured_predictions --captures 4`, on a machine that does nothing else.

A trial captures the machine as `hecn capture --probe` does, predicts from that folder alone, and then runs nuttcp and
iperf3 over the loopback interface and dd from and to a file of 512 MiB beside the folder, past the page cache, each
twice. The interval of a prediction is meant for nine in ten single runs.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy import stats

from hecn_analysis import read_inventory
from hecn_analysis.base import units
from hecn_analysis.live import programs
from hecn_analysis.live.capture import capture
from hecn_analysis.live.measure import INSIDE, measure
from hecn_analysis.live.runs import MeasurementError, Request

#: Share of single runs that the interval is meant for.
MEANT = 0.9

#: With so many inside, or fewer, by less than this chance, the interval does not keep its promise.
UNLIKELY = 0.05

NETWORK = ("nuttcp", "iperf3")
DISK = ("dd-read", "dd-write")
AMOUNT = 512 << 20


@dataclass(frozen=True)
class Trial:
    """A run and what was predicted for it, rates in bit/s."""

    capture: int
    tool: str
    measured_bps: float
    predicted_bps: float
    low_bps: float
    high_bps: float
    is_inside: bool
    load: float

    @property
    def width(self) -> float:
        """Factor from the prediction to the farther end of its interval [1]."""
        return max(self.high_bps / self.predicted_bps, self.predicted_bps / self.low_bps)


def trials(number: int, folder: Path, *, repeats: int, duration_s: float) -> Iterator[Trial]:
    """Capture, predict and run."""
    began = time.monotonic()
    capture(folder / "captured", probe=True, progress=True)
    print(f"capture {number}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    [host] = read_inventory(folder / "captured").hosts
    for tool in (*NETWORK, *DISK):
        keys: dict[str, Any] = {"tool": tool, "path": "loopback", "tool.duration": duration_s}
        if tool in DISK:
            keys = {"tool": tool, "tool.bytes": AMOUNT, "tool.request": 1 << 20}
        elif programs.which(tool) is None:
            continue
        ends = {"sender": host.description, "receiver": host.description}
        file = str(folder / "run.dat") if tool in DISK else None
        request = Request(keys={**ends, **keys}, repeats=repeats, file=file, inventory=False, probe=False)
        try:
            found = measure(request, folder / tool)
        except MeasurementError as error:
            print(f"{tool}: {error}", file=sys.stderr)
            continue
        said = found.prediction
        for run in found.runs:
            if run.measured_bps is not None:
                rates = (run.measured_bps, said.throughput_bps, said.low_bps, said.high_bps)
                yield Trial(number, tool, *rates, run.verdict == INSIDE, os.getloadavg()[0])


def report(done: Sequence[Trial]) -> str:
    """Share inside the interval and its width, of each tool and of all."""
    rows = [f"{'':10}{'runs':>6}{'inside':>8}{'share':>8}   interval, factor either way"]
    for name in (*dict.fromkeys(one.tool for one in done), "all"):
        part = [one for one in done if name in {one.tool, "all"}]
        inside = sum(one.is_inside for one in part)
        widths = sorted(one.width for one in part)
        width = f"{widths[len(widths) // 2]:.2f}, at most {widths[-1]:.2f}"
        rows.append(f"{name:10}{len(part):6}{inside:8}{inside / len(part):8.0%}   {width}")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try, and report; status 1 where so few runs are inside that it is no bad luck."""
    parser = argparse.ArgumentParser(description="Trials of predictions from a capture of this machine.")
    parser.add_argument("--captures", type=int, default=4, help="how many (default: 4)")
    parser.add_argument("--repeats", type=int, default=2, help="runs of each tool after each of them (default: 2)")
    parser.add_argument("--duration", type=float, default=10, help="of a run over the loopback interface (default: 10)")
    parser.add_argument("--folder", type=Path, default=Path(), help="place of the files, whose disk is tried (here)")
    asked = parser.parse_args(arguments)
    done: list[Trial] = []
    print(f"{'capture':8}{'tool':10}{'measured':>11}{'predicted':>11}{'low':>11}{'high':>11}  {'':8}{'load':>5}")
    with programs.ended_by_signals(), tempfile.TemporaryDirectory(prefix="hecn-trials-", dir=asked.folder) as place:
        for number in range(1, asked.captures + 1):
            folder = Path(place) / str(number)
            folder.mkdir()
            for one in trials(number, folder, repeats=asked.repeats, duration_s=asked.duration):
                done.append(one)
                rates = (one.measured_bps, one.predicted_bps, one.low_bps, one.high_bps)
                shown = "".join(f"{units.format_rate(rate):>11}" for rate in rates)
                print(f"{number:<8}{one.tool:10}{shown}  {'inside' if one.is_inside else 'OUTSIDE':8}{one.load:5.1f}")
    if not done:
        return 1
    inside = sum(one.is_inside for one in done)
    chance = float(stats.binom.cdf(inside, len(done), MEANT))
    off = sum(abs(math.log(one.measured_bps / one.predicted_bps)) for one in done) / len(done)
    print(f"\n{report(done)}\nmean distance of measured from predicted: {math.expm1(off):.0%}")
    print(f"chance of no more inside, where {MEANT:.0%} are meant to be: {chance:.2f}")
    return 0 if chance >= UNLIKELY else 1


if __name__ == "__main__":
    sys.exit(main())
