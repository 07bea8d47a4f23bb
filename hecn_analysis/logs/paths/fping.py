"""Output of fping: loss and round-trip times of many hosts, one run for each host.

Versions: 2.4 to 5.x: the summary of ``-c`` and ``-l`` ("host : xmt/rcv/%loss = …"), the list of times of ``-C``, the
lines of single probes, and ``-e``. The JSON of 5.5 (``-J``), which its authors call unfinished, is not read.

Units and traps
---------------
- Times are milliseconds, without their unit, with three significant digits ("0.051", "7.40", "310", "1.5e+06").
- The printed loss is truncated to a whole per cent: the fraction is computed from the counts. If more came back than
  was sent, fping prints "%return", and there is no loss.
- A summary below a clock ("[12:00:05]", ``-Q``) covers the time since the previous clock; the last one, without a
  clock, covers the whole run. Only the latter is read; if it is missing, a problem says so.
- ``-C`` prints every time, and "-" for a lost probe: minimum, mean and maximum are computed. Numbers behind a name and
  a colon are such a list only below a line or a command of fping.
- Summaries go to stderr. A log with the probes alone has the times of the replies and no loss: versions before 4 do not
  print lost probes.
- "host is alive" without a time (``-e``), and "host is unreachable", have no figures and make no run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.logs.losses import loss_columns

_N: Final = r"\d{1,9}(?:\.\d{1,6})?(?:e\+\d{1,3})?"
_HOST: Final = r"(?:^|(?<=[\s>]))(?P<host>[\w.:%@/-]{1,255}(?: \([\w.:%-]{1,255}\))?)\s{0,250}"
_SUMMARY: Final = re.compile(
    rf"{_HOST}:\s?xmt/rcv/%(?P<what>loss|return) = (?P<sent>\d{{1,12}})/(?P<received>\d{{1,12}})/(?P<loss>\d{{1,9}})%"
    rf"(?:, ?outage\(ms\) = -?\d{{1,12}})?"
    rf"(?:, ?min/avg/max = (?P<low>{_N})/(?P<mean>{_N})/(?P<high>{_N}))?"
)
_LIKE_SUMMARY: Final = re.compile(rf"^[^\w\"']{{0,20}}{_HOST}:\s?xmt/rcv/%\w{{1,8}} = \d")
_CLOCK: Final = re.compile(r"^\W{0,20}\[\d\d:\d\d:\d\d\]\s*$")
_PROBE: Final = re.compile(
    rf"{_HOST}: \[\d{{1,12}}\], (?:\d{{1,6}} bytes, (?P<ms>{_N}) ms|timed out) "
    r"\(.{1,20} avg, \d{1,9}% (?:loss|return)\)"
)
_TIMES: Final = re.compile(rf"^\W{{0,20}}{_HOST}:(?P<times>(?: (?:{_N}|-))+)\s*$")
_ALIVE: Final = re.compile(rf"{_HOST} is alive \((?P<ms>{_N}) ms\)")
_REST: Final = re.compile(r"^\W{0,20}(?:ICMP \w|\S{1,255} : duplicate for \[)|\bfping: ")
_NEAR: Final = 2


@dataclass
class _Host:
    """The probes of a host so far."""

    first: int
    last: int
    times: list[float] = field(default_factory=list)


class Fping:
    """Reader of fping."""

    TOOLS: tuple[str, ...] = ("fping",)
    VERSIONS: str = "2.4 to 5.x"
    HINTS: tuple[str, ...] = ("xmt/rcv/", " avg, ", " : ", " is alive (")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._probed: dict[str, _Host] = {}
        self._split: dict[str, int] = {}
        self._clock = -_NEAR
        self._below_clock: set[str] = set()

    def feed(self, line: Line) -> bool:
        """Take a probe, or a result of a host."""
        text = line.text
        if "xmt/rcv/" in text:
            return self._summary(line)
        if " avg, " in text and "], " in text and (match := _PROBE.search(text)):
            host = self._probed.setdefault(match["host"], _Host(line.number, line.number))
            host.last = line.number
            if match["ms"]:
                host.times.append(float(match["ms"]) / 1e3)
            return True
        return self._list(line) or self._alive(line) or (bool(self._probed) and _REST.search(text) is not None)

    def finish(self) -> None:
        """Hand over the hosts without a summary."""
        for name, host in self._probed.items():
            self._findings.problem(
                host.last,
                "truncated",
                f"found {len(host.times)} replies of {name!r} and no summary, expected 'xmt/rcv/%loss = …'; times are "
                "those of the replies",
            )
            self._run((host.first, host.last), name, _of_replies(host.times))
        for name, number in self._split.items():
            if name not in self._probed:
                self._findings.problem(
                    number,
                    "truncated",
                    f"found summaries of {name!r} below clocks and none of the whole run; no run made of them",
                )
        self._probed, self._split = {}, {}

    def _summary(self, line: Line) -> bool:
        match = _SUMMARY.search(line.text)
        if match is None:
            if _LIKE_SUMMARY.search(line.text) is None:
                return False
            expected = "'host : xmt/rcv/%loss = 3/3/0%, min/avg/max = …'; no run made of it"
            report_damaged_line(self._findings, line, expected)
            return True
        name, sent, received = match["host"], int(match["sent"]), int(match["received"])
        if (
            self._findings.recent
            and _CLOCK.match((above := self._findings.recent[-1]).text)
            and above.number > self._clock
        ):
            self._clock, self._below_clock = above.number, set()
        if line.number - self._clock < _NEAR and name not in self._below_clock:
            self._clock = self._split[name] = line.number
            self._below_clock.add(name)
            return True
        columns: dict[str, object] = {"sent_packets": sent}
        columns |= loss_columns(sent, received)
        if received <= sent:
            self._compare(line, match, sent, received)
        if match["low"]:
            low, mean, high = (float(match[column]) / 1e3 for column in ("low", "mean", "high"))
            columns |= {"rtt_min_s": low, "rtt_avg_s": mean, "rtt_max_s": high}
        self._complete_host(line, name, columns)
        return True

    def _compare(self, line: Line, match: re.Match[str], sent: int, received: int) -> None:
        expected = 100 * (sent - received) // sent if sent else 0
        if match["what"] == "loss" and int(match["loss"]) != expected:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found a loss of {match['loss']} %, expected {expected} % from the counts; the latter is kept",
            )

    def _list(self, line: Line) -> bool:
        """Take the times of all probes."""
        text = line.text
        known = self._findings.command.program == "fping"
        if " : " not in text or not (known or self._probed) or (match := _TIMES.match(text)) is None:
            return False
        if not (known or match["host"] in self._probed):
            return False
        words = match["times"].split()
        if not line.complete:
            self._findings.problem(
                line.number, "truncated", f"found {text.strip()[-40:]!r} at the end, expected a whole line; left out"
            )
            return True
        times = [float(word) / 1e3 for word in words if word != "-"]
        columns = {"sent_packets": len(words), **loss_columns(len(words), len(times)), **_of_replies(times)}
        self._complete_host(line, match["host"], columns)
        return True

    def _alive(self, line: Line) -> bool:
        if " is alive (" not in line.text or (match := _ALIVE.search(line.text)) is None:
            return False
        self._run((line.number, line.number), match["host"], _of_replies([float(match["ms"]) / 1e3]))
        return True

    def _complete_host(self, line: Line, name: str, columns: dict[str, object]) -> None:
        """Hand over the complete run of a host."""
        probed = self._probed.pop(name, None)
        self._split.pop(name, None)
        self._run((probed.first if probed else line.number, line.number), name, columns)

    def _run(self, lines: tuple[int, int], name: str, columns: dict[str, object]) -> None:
        self._findings.run(Run(*lines, {"tool": "fping", "protocol": "icmp", "label": name, **columns}))


def _of_replies(times: list[float]) -> dict[str, object]:
    """Return minimum, mean and maximum time [s]."""
    if not times:
        return {}
    return {"rtt_min_s": min(times), "rtt_avg_s": sum(times) / len(times), "rtt_max_s": max(times)}
