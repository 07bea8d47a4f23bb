"""Output of owping and twping: delays and loss of probes, one way or both.

Versions: owamp and perfSONAR's owamp 3.x to 5.x. One block, "--- owping statistics from … to … ---", is a run; so is a
block of ``-M``, which begins with "SUMMARY". ``-R``, one line of numbers per packet, is not read.

Units and traps
---------------
- owping's delays are one way and include the difference of the two clocks. They may be negative, which no round trip
  can be: such delays are left out, with a problem. Rounding may put the median above the maximum. The columns rtt_min_s
  and rtt_max_s have the minimum and maximum one-way delay; a mean is not printed.
- twping's round trip does not include that difference. Its "send time" and "reflect time" do, and are not read.
- Times carry their unit: ms, also us, s, or "unreported". Those of ``-M`` are seconds.
- jitter_s is the tool's jitter: p95 minus p50 of the delay, one way or both.
- Two blocks between the same hosts are the two directions, the first one from here. A single block has a direction only
  if the command line above names the other host.
- Duplicates are neither lost nor sent.
- ``-v`` prints a line for every packet ("seq_no=0 delay=…") above the counts; these are not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_N: Final = r"-?\d{1,12}(?:\.\d{1,9})?(?:e[-+]\d{1,2})?"
_HEADER: Final = re.compile(
    r"--- (?P<tool>owping|twping) statistics from \[(?P<from>[^\]]{1,255})\]:\S{1,12} "
    r"to \[(?P<to>[^\]]{1,255})\]:\S{1,12} ---"
)
_HEADER_CUT: Final = re.compile(r"--- (?:owping|twping) statistics from")
_COUNTS: Final = re.compile(rf"(?P<sent>\d{{1,12}}) sent, (?P<lost>\d{{1,12}}) lost \((?P<loss>{_N}|nan)%\)")
_DELAYS: Final = re.compile(
    rf"\b(?:one-way delay|round-trip time) min/(?P<middle>median|avg|mean)/max = "
    rf"(?P<low>{_N})/(?P<mean>{_N})/(?P<high>{_N}) (?P<unit>ms|us|ns|s)\b"
)
_JITTER: Final = re.compile(rf"\b(?:one|two)-way jitter = (?P<jitter>{_N}) (?P<unit>ms|us|ns|s)\b")
_REST: Final = re.compile(
    r"^\W{0,40}(?:SID:|seq_no=|first:|last:|Percentiles:|\d{1,3}(?:\.\d{1,3})?: \S|TTL\b|hops\b|no reordering"
    r"|\d{1,4}-reordering|send time|reflect time|reflector processing|send jitter|reflect jitter|send hops|reflect hops"
    r"|send TTL|reflect TTL|send reordering|one-way|round-trip|two-way|Histogram)"
)
_MACHINE: Final = re.compile(r"^\W{0,8}SUMMARY\s{1,8}\d\.\d\d\s*$")
_PAIR: Final = re.compile(r"^\W{0,8}(?P<key>[A-Z][A-Z_]{2,30})\s{1,8}(?P<value>\S{1,255})\s*$")
_TABLE: Final = re.compile(r"^\W{0,8}</?(?P<name>BUCKETS|TTLBUCKETS|NREORDERING)|^\s{0,8}-?\d{1,12}\s{1,8}\d")
_NUMBER: Final = re.compile(_N)
_PER_SECOND: Final = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_FAR: Final = 12


@dataclass
class _Block:
    """One direction."""

    first: int
    last: int
    tool: str
    source: str
    target: str
    command: Command
    columns: dict[str, object] = field(default_factory=dict)
    machine: dict[str, str] = field(default_factory=dict)


class Owamp:
    """Reader of owping and twping."""

    TOOLS: tuple[str, ...] = ("owping", "twping")
    VERSIONS: str = "owamp 3.x to 5.x"
    HINTS: tuple[str, ...] = ("ping statistics from", "SUMMARY")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._block: _Block | None = None
        self._before: _Block | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of a block."""
        text, block = line.text, self._block
        if "ping statistics from" in text:
            return self._begin(line)
        if "SUMMARY" in text and _MACHINE.match(text):
            self._close()
            block = self._block = _Block(line.number, line.number, "owping", "", "", self._findings.command)
            block.machine["SUMMARY"] = text.split()[-1]
            return True
        if block is not None and line.number > block.last + _FAR:
            self._close()
            block = None
        taken = block is not None and (self._machine(line, block) if block.machine else self._text(line, block))
        if taken and block is not None:
            block.last = line.number
        return taken

    def _text(self, line: Line, block: _Block) -> bool:
        """Take a line below a heading of the readable form."""
        text = line.text
        if match := _COUNTS.search(text):
            self._counts(line, block, match)
        elif match := _DELAYS.search(text):
            self._delays(line, block, match)
        elif match := _JITTER.search(text):
            jitter = float(match["jitter"]) / _PER_SECOND[match["unit"]]
            if jitter >= 0:
                block.columns["jitter_s"] = jitter
        else:
            return _REST.match(text) is not None
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()
        before, self._before = self._before, None
        if before is not None:
            self._hand_over(before, None)

    def _begin(self, line: Line) -> bool:
        match = _HEADER.search(line.text)
        if match is None:
            if not _HEADER_CUT.search(line.text):
                return False
            self._close()
            expected = "'… from [host]:port to [host]:port ---'; no run made of it"
            report_damaged_line(self._findings, line, expected)
            return True
        self._close()
        self._block = _Block(
            line.number, line.number, match["tool"], match["from"], match["to"], self._findings.command
        )
        return True

    def _machine(self, line: Line, block: _Block) -> bool:
        """Take a line of ``-M``; the figures are read when all of them are there."""
        if match := _PAIR.match(line.text):
            if line.complete:
                block.machine[match["key"]] = match["value"]
        else:
            return _TABLE.match(line.text) is not None
        return True

    def _of_machine(self, block: _Block) -> None:
        """Take the figures of a block of ``-M``."""
        texts = block.machine
        block.source = texts.get("FROM_HOST", texts.get("FROM_ADDR", ""))
        block.target = texts.get("TO_HOST", texts.get("TO_ADDR", ""))
        if "DUPS_FWD" in texts or "MAXERR_FWD" in texts:
            block.tool = "twping"
        sent, lost = texts.get("SENT", ""), texts.get("LOST", "")
        if not (sent.isdecimal() and lost.isdecimal()):
            return
        block.columns |= {"sent_packets": int(sent), "lost_packets": int(lost)}
        block.columns["loss_fraction"] = int(lost) / int(sent) if 0 <= int(lost) <= int(sent) and int(sent) else None
        low, high, jitter = (_float(texts.get(key)) for key in ("MIN", "MAX", "PDV"))
        if low is not None and high is not None:
            self._range(block.last, block, low, high)
        if jitter is not None and jitter >= 0:
            block.columns["jitter_s"] = jitter

    def _range(self, line: int, block: _Block, low: float, high: float) -> bool:
        """Take the minimum and maximum delay [s], unless the clocks make them impossible."""
        if low < 0:
            self._findings.problem(
                line,
                "inconsistent",
                f"found a delay of {low:g} s, expected at least 0: the two clocks differ; delays left out",
            )
            return False
        block.columns |= {"rtt_min_s": low, "rtt_max_s": high}
        return True

    def _counts(self, line: Line, block: _Block, match: re.Match[str]) -> None:
        sent, lost = int(match["sent"]), int(match["lost"])
        block.columns |= {"sent_packets": sent, "lost_packets": lost}
        if not sent:
            return
        block.columns["loss_fraction"] = lost / sent if lost <= sent else None
        if match["loss"] != "nan" and abs(float(match["loss"]) - 100 * lost / sent) > 1e-3:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found a loss of {match['loss']} %, expected {100 * lost / sent:.6g} % from the counts; "
                "the latter is kept",
            )

    def _delays(self, line: Line, block: _Block, match: re.Match[str]) -> None:
        unit = _PER_SECOND[match["unit"]]
        low, mean, high = (float(match[name]) / unit for name in ("low", "mean", "high"))
        if self._range(line.number, block, low, high) and match["middle"] != "median":
            block.columns["rtt_avg_s"] = mean

    def _close(self) -> None:
        """Complete the block and keep it until a block of the other direction follows."""
        block, self._block = self._block, None
        if block is None:
            return
        if block.machine:
            self._of_machine(block)
        if "sent_packets" not in block.columns:
            self._findings.problem(
                block.last,
                "truncated",
                "found no counts below the heading, expected '… sent, … lost'; no run made of it",
            )
            return
        before, self._before = self._before, None
        ends = (block.source, block.target)
        if before is None:
            self._before = block
        elif ends[0] != ends[1] and (before.tool, before.target, before.source) == ("owping", *ends):
            self._hand_over(before, "send")
            self._hand_over(block, "receive")
        else:
            self._hand_over(before, None)
            self._before = block

    def _hand_over(self, block: _Block, direction: str | None) -> None:
        if direction is None and block.tool == "owping" and block.command.program == "owping":
            hosts = {word.partition(":")[0] if word.count(":") == 1 else word for word in block.command.arguments}
            to_there, from_there = block.target in hosts, block.source in hosts
            if to_there != from_there:
                direction = "send" if to_there else "receive"
        columns = {"tool": block.tool, "protocol": "udp", "direction": direction, **block.columns}
        columns["label"] = f"{block.source} {block.target}"
        self._findings.run(Run(block.first, block.last, columns))


def _float(text: str | None) -> float | None:
    return float(text) if text is not None and _NUMBER.fullmatch(text) else None
