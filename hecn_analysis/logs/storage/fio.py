"""Output of fio: its text, its JSON and JSON+, its terse lines.

Versions: 1.2x to 2.16 ("io=…, aggrb=…"), 2.17 to 3.42 ("bw=…, io=…, run=…"); terse versions 3, 4 and 5; JSON since 2.0,
also of a client with several servers ("client_stats"). In JSON and terse a run is a job in one direction that moved
data; in text it is a direction of a "Run status group", all its jobs together. If a text has no such group (an
excerpt), the line of each job is a run, and a problem says so. Terse version 2, without fio's version, is not read.

Units and traps
---------------
- In 1.x and 2.x up to 2.16 KB, MB, GB are powers of 1024, and of bits if "bit" is printed. Since 2.17 KiB is 1024 and
  kB 1000; the rate is printed in both, and which comes first depends on ``kb_base``.
- Terse: amount in KiB, rate in KiB/s, but 1000 bytes/s before 2.0.8: amount and time decide. JSON: ``bw`` is KiB/s,
  ``bw_bytes`` bytes/s; ``io_bytes`` is KiB up to 2.17, and bytes if ``io_kbytes`` is present.
- Up to 2.21 a number with few decimals is misprinted: 1 MiB and 9/1024 is "1.9MiB". If rate, amount and time disagree,
  a problem says so, and the printed rate is kept.
- The text's rate of a group is the sum of the jobs over the longest run time: not the sum of the jobs' rates.
- ``unified_rw_reporting`` prints MIXED (JSON ``mixed``): it is a direction if it stands alone, and left out beside
  reads and writes. So is the sum "All clients" of a client with several servers ("BW=621Mi (651M)", bytes without their
  letter), which is a run only if it stands alone.
- A job with an error (``err= 5``) has figures up to the error: its run has `error`.
- With several forms (``--output-format=json,normal``) a call reports each result in each, the text last: a job in
  the same direction, of the same bytes and milliseconds, is one run, in the first form.
- Mail programs and narrow terminals wrap the long line of a group: it is joined again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count, number

_N: Final = r"\d{1,20}(?:\.\d{1,12})?"
_UNIT: Final = r" {0,2}[KMGTPEkmgtpe]?i?(?:B|bit|b)?"
_HOST: Final = r"(?:<[^<>]{1,80}> )?"
_HEAD: Final = rf"^\s{{0,40}}+{_HOST}"  # behind any margin
_VERSION: Final = re.compile(rf"{_HEAD}fio[- ](?P<version>\d[\w.-]{{0,40}})\s*$")
_JOB: Final = re.compile(
    rf"^{_HOST}(?P<name>.{{1,200}}?): \(groupid=(?P<group>\d{{1,6}}), jobs=(?P<jobs>\d{{1,9}})\): "
    r"err= {0,3}(?P<error>-?\d{1,6})(?: \((?P<why>.{0,300}?)\))?: pid="
)
_GROUP: Final = re.compile(rf"{_HEAD}Run status group (?P<group>\d{{1,6}}) \(all jobs\):")
_TOTAL_OLD: Final = re.compile(
    rf"^{_HOST}\s*+(?P<way>READ|WRITE|TRIM|MIXED): io=(?P<moved>{_N}{_UNIT}), ?aggrb=(?P<rate>{_N}{_UNIT})(?:/s)?, ?"
    r"minb=.{1,60}maxt=(?P<longest>\d{1,12})msec"
)
_TOTAL: Final = re.compile(
    rf"^{_HOST}\s*+(?P<way>READ|WRITE|TRIM|MIXED): bw=(?P<rate>{_N}{_UNIT})/s \(.{{1,200}}io=(?P<moved>{_N}{_UNIT}) "
    r"\(.{1,40}\), run=\d{1,12}-(?P<longest>\d{1,12})msec"
)
_OWN_OLD: Final = re.compile(
    rf"^{_HOST}\s*+(?P<way>read|write|trim|mixed) {{0,2}}: io=(?P<moved>{_N}{_UNIT}), ?bw=(?P<rate>{_N}{_UNIT})/s, "
    rf"(?:iops=(?P<iops>.{{1,20}}), )?.{{0,60}}runt= {{0,8}}(?P<longest>\d{{1,12}})msec"
)
_OWN: Final = re.compile(
    rf"^{_HOST}\s*+(?P<way>read|write|trim|mixed) {{0,2}}: (?:IOPS=(?P<iops>.{{1,20}}), )?"
    rf"BW=(?P<rate>{_N}{_UNIT})(?:/s)? \(.{{1,40}}\)\((?P<moved>{_N}{_UNIT})/(?P<longest>\d{{1,12}})msec\)"
)
_LIKE_TOTAL: Final = re.compile(rf"{_HEAD}(?:READ|WRITE|TRIM|MIXED): (?:bw|io)=")
_REST: Final = re.compile(r"(?:>\s?){0,8}\s*+(?:[\d(]|io=|run=|m(?:in|ax)[bt]=|[KMGTPE]i?B\b)")
_MOST_PARTS: Final = 3
_TERSE: Final = re.compile(r"^\s{0,40}+(?P<terse>[345]);(?:fio-)?(?P<version>\d[^;]{0,40});")
_MESSAGE: Final = re.compile(
    rf"{_HEAD}fio: (?P<text>(?:pid=\d{{1,9}}, )?err=.{{1,300}}|(?:failed|job .{{1,80}} failed|engine .{{1,80}} not)"
    r".{0,300})"
)
_DETAIL: Final = re.compile(
    rf"^{_HOST}(?:\s{{1,12}}(?:slat|clat|lat|bw|iops|cpu|IO depths|submit|complete|issued|latency|errors|\||sync|"
    r"Description|steadystate)|Disk stats|Starting \d|Jobs: \d|\.\.\.$|\S.{0,120}: \(g=\d{1,6}\): rw=|"
    r"\s{2}\S{1,80}: (?:ios|util)=)"
)
_AMOUNT: Final = re.compile(rf"(?P<number>{_N}) {{0,2}}(?P<power>[KMGTPEkmgtpe]?)(?P<binary>i?)(?P<unit>B|bit|b)?$")
_REQUESTS: Final = re.compile(rf"(?P<number>{_N})(?P<power>[kM]?)")
_TOO_FAST: Final = 8 * 2.0**60  # fio's counters wrap below 0 to 2^64
_COUNT: Final = re.compile(r"\d{1,9}")
_WAYS: Final = ("read", "write", "trim")
_BLOCK: Final = {"3": 41, "4": 41, "5": 47}
_ALL: Final = "All clients"
_MOST_HELD: Final = 1000


@dataclass
class _Group:
    """The lines above the status of a group.

    Parameters
    ----------
    first
        First line of its first job.
    names
        The jobs' names.
    jobs
        Their number.
    errors
        What went wrong, by line.
    own
        Runs of the jobs' own lines, in case that there is no status.
    requests
        Number of requests of each of the jobs' own lines, by direction.
    """

    first: int
    last: int
    names: list[str] = field(default_factory=list)
    jobs: int = 0
    errors: list[str] = field(default_factory=list)
    own: list[Run] = field(default_factory=list)
    requests: dict[str, list[float]] = field(default_factory=dict)
    ways: set[str] = field(default_factory=set)


_HEADLESS: Final = -1


class Fio(DocumentReader):
    """Reader of fio."""

    TOOLS: tuple[str, ...] = ("fio",)
    VERSIONS: str = "text of 1.2x to 3.42, JSON and JSON+ of 2.0 to 3.42, terse versions 3 to 5"
    HINTS: tuple[str, ...] = (
        "fio-",
        "fio 1",
        "fio 2",
        "%=",
        "(groupid=",
        "Run status group",
        "aggrb=",
        ": bw=",
        ", run=",
        " BW=",
        "runt=",
        "fio: ",
    )
    DOCUMENTS: tuple[frozenset[str], ...] = (
        frozenset({"fio version", "jobs"}),
        frozenset({"fio version", "client_stats"}),
    )

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._version: str | None = None
        self._groups: dict[int, _Group] = {}
        self._current: _Group | None = None
        self._status: int | None = None
        self._inside = False
        self._messages: list[int] = []
        self._told = False
        self._broken: list[Line] = []
        self._sum = False
        self._held: list[Run] = []
        self._form = ""

    def feed(self, line: Line) -> bool:
        """Take a line of fio's."""
        if self._broken and self._joined(line):
            return True
        if self._inside and _DETAIL.match(line.text) is not None:
            return True  # most lines are such
        return self._head(line) or self._figures(line)

    def _joined(self, line: Line) -> bool:
        """Join the parts of a group's line, or report them as they are."""
        parts, self._broken = self._broken, []
        if line.number - parts[-1].number <= 1 and _REST.match(line.text):
            for between in (" ", ""):
                text = between.join(
                    [parts[0].text.rstrip(), *(part.text.strip() for part in parts[1:]), line.text.strip()]
                )
                match = _TOTAL.match(text) or _TOTAL_OLD.match(text)
                if match is not None and line.complete:
                    self._total(line, match)
                    return True
            if len(parts) + 1 < _MOST_PARTS and line.complete:
                self._broken = [*parts, line]
                return True
        self._report_broken(parts)
        return False

    def _report_broken(self, parts: list[Line]) -> None:
        text = " ".join(part.text.strip() for part in parts)
        self.findings.problem(
            parts[0].number,
            "malformed" if parts[0].complete else "truncated",
            f"found {text[:200]!r}, expected rate, amount and time of a group; no run made of it",
        )

    def _head(self, line: Line) -> bool:
        """Take the head of a call, of a job or of the status of a group."""
        text = line.text
        if (match := _VERSION.match(text)) is not None:
            self._close()
            self._release()
            self._version = match["version"]
        elif (match := _JOB.match(text)) is not None:
            self._job(line, match)
        elif (match := _GROUP.match(text)) is not None:
            before = self._groups.get(int(match["group"]))
            if before is not None and before.ways:
                self._close()  # the same group again: another call, whose beginning is missing
            self._status = int(match["group"])
            self._current = None
            self._sum = False
            group = self._groups.setdefault(self._status, _Group(line.number, line.number))
            group.last = line.number
            group.own.clear()
        else:
            return False
        self._inside = True
        return True

    def _figures(self, line: Line) -> bool:
        """Take a result, usable or not."""
        text = line.text
        if (match := _TERSE.match(text)) is not None:
            if self._form == "json":
                self._release()
            self._terse(line, match)
        elif (match := _TOTAL.match(text) or _TOTAL_OLD.match(text)) is not None and line.complete:
            self._total(line, match)
        elif _LIKE_TOTAL.match(text):
            self._broken = [line]
        elif self._status is None and (match := _OWN.match(text) or _OWN_OLD.match(text)) is not None:
            if not self._sum:
                self._own(line, match)
        elif (match := _MESSAGE.match(text)) is not None:
            self._message(line, match["text"])
        else:
            return False
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()
        self._release()

    def _job(self, line: Line, match: re.Match[str]) -> None:
        self._sum = match["name"].strip() == _ALL and any(
            group.ways or set(group.names) - {_ALL} for group in self._groups.values()
        )
        if self._sum:
            return
        if self._status is not None or match["name"].strip() == _ALL:
            self._close()  # another report of the same call, or another call whose first line is missing
        group = self._groups.setdefault(int(match["group"]), _Group(line.number, line.number))
        group.last = line.number
        group.names.append(match["name"].strip())
        group.jobs += int(match["jobs"])
        if int(match["error"]):
            group.errors.append(match["error"])
            if not self._messages:
                why = f" ({match['why'].strip()})" if match["why"] else ""
                self.findings.problem(line.number, "aborted", f"found err={match['error']}{why}, expected err= 0")
        self._current = group

    def _values(self, match: re.Match[str], names: list[str], jobs: int) -> dict[str, object]:
        distinct = list(dict.fromkeys(names))
        decimal = match.re in (_TOTAL, _OWN)
        moved = _bits(match["moved"], decimal=decimal)
        return {
            "tool": "fio",
            "tool_version": self._version,
            "protocol": "file",
            "label": distinct[0][:120] if len(distinct) == 1 else None,
            "direction": match["way"].lower(),
            "bytes": None if moved is None else round(moved / 8),
            "duration_s": int(match["longest"]) / 1000,
            "throughput_bps": _bits(match["rate"], decimal=decimal),
            "streams": jobs or None,
        }

    def _total(self, line: Line, match: re.Match[str]) -> None:
        group = self._groups.get(self._status) if self._status is not None else None
        if group is None:
            group = _Group(line.number, line.number)
        if match["way"] == "MIXED" and group.ways:
            return
        group.ways.add(match["way"])
        values = self._values(match, group.names, group.jobs)
        values["error"] = bool(group.errors)
        requests = math.fsum(group.requests.get(match["way"].lower(), [math.nan]))
        milliseconds = int(match["longest"])
        values["iops"] = None if math.isnan(requests) or not milliseconds else 1000 * requests / milliseconds
        self._drop_own(values)
        if not self._repeats(values, group.names, line.number):
            self.findings.run(Run(group.first, line.number, values, rounding=_rounding(match)))

    def _hold(self, run: Run, form: str) -> None:
        """Keep a result in JSON or terse form, which the call may repeat in another one."""
        if len(self._held) >= _MOST_HELD:
            self._release()
        self._held.append(run)
        self._form = form

    def _release(self) -> None:
        """Hand over the results that are kept."""
        held, self._held = self._held, []
        for run in held:
            self.findings.run(run)

    def _repeats(self, values: dict[str, object], names: list[str], last: int) -> bool:
        """Whether the call has reported these jobs in another form, singly or together, whose last line is now here."""
        labels = {name[:120] for name in names}
        parts = [
            run
            for run in self._held
            if run.columns["label"] in labels and run.columns["direction"] == values["direction"]
        ]
        amount, duration = number(values["bytes"]) or 0.0, number(values["duration_s"]) or 0.0
        for same in (*([part] for part in parts), parts):
            moved = math.fsum(number(part.columns["bytes"]) or 0.0 for part in same)
            seconds = max((number(part.columns["duration_s"]) or 0.0 for part in same), default=0.0)
            if moved and seconds and abs(amount - moved) <= 0.02 * moved and abs(duration - seconds) < 0.0005:
                for part in same:
                    part.line_last = max(part.line_last, last)
                return True
        return False

    def _drop_own(self, values: dict[str, object]) -> None:
        """Forget lines of jobs without heads that are the parts of a group's total."""
        group = self._groups.get(_HEADLESS)
        own = [run for run in group.own if run.columns["direction"] == values["direction"]] if group else []
        parts, total = [run.columns["bytes"] for run in own], values["bytes"]
        if (
            group
            and isinstance(total, int)
            and abs(sum(part for part in parts if isinstance(part, int)) - total) <= 0.02 * total
        ):
            group.own = [run for run in group.own if run not in own]

    def _own(self, line: Line, match: re.Match[str]) -> None:
        self._inside = True
        group = self._current
        if group is None:
            # a line without its job's head
            group = self._groups.setdefault(_HEADLESS, _Group(line.number, line.number))
        if match["way"] == "mixed" and any(run.line_first == group.last for run in group.own):
            return
        values = self._values(match, group.names[-1:], 0)
        values["error"] = bool(group.errors)
        values["iops"] = iops = _iops(match["iops"])
        requests = math.nan if iops is None else iops * int(match["longest"]) / 1000
        group.requests.setdefault(match["way"], []).append(requests)
        group.own.append(
            Run(group.last if group.names else line.number, line.number, values, rounding=_rounding(match))
        )

    def _message(self, line: Line, text: str) -> None:
        self.findings.problem(line.number, "aborted", f"found {text.strip()[:300]!r}, expected results")
        self._messages.append(line.number)

    def _close(self, *, taken: bool = False) -> None:
        """End a call; `taken` says that the figures which its messages are about follow."""
        broken, self._broken = self._broken, []
        if broken:
            self._report_broken(broken)
        groups, self._groups = self._groups, {}
        messages, self._messages = self._messages, []
        self._told = bool(messages)
        made = taken
        for group in groups.values():
            if group.own:
                self.findings.problem(
                    group.own[-1].line_last,
                    "truncated",
                    f"found no 'Run status group' after the jobs, expected one; {len(group.own)} lines of jobs taken",
                )
                for run in group.own:
                    self.findings.run(run)
            elif group.errors and not group.ways:
                self._failed(group.first, group.last)
            made = made or bool(group.own or group.ways or group.errors)
        if messages and not made:
            self._failed(messages[0], messages[-1])
        self._current = self._status = self._version = None
        self._inside = False

    def _failed(self, first: int, last: int) -> None:
        """Hand over a call or a group that moved nothing."""
        values: dict[str, object] = {
            "tool": "fio",
            "tool_version": self._version,
            "protocol": "file",
            "error": True,
        }
        self.findings.run(Run(first, last, values))

    def _terse(self, line: Line, match: re.Match[str]) -> None:
        """Take a job as one line of values."""
        fields = line.text.split(";")
        length = _BLOCK[match["terse"]]
        starts = []
        for start in range(5, len(fields) - 1, length):
            if fields[start].endswith("%"):
                break
            starts.append(start)
        else:
            starts = []
        if not starts or len(starts) > 4 or (not line.complete and len(fields) < starts[-1] + length + 34):
            expected = f"blocks of {length} after the fifth; no run made of them"
            report_damaged_line(self.findings, line, expected, f"{len(fields)} values")
            return
        ways = (
            ("mixed",) if len(starts) == 1 else ("read", "write", "mixed" if match["terse"] == "3" else "trim", "mixed")
        )
        error = fields[4] != "0"
        if error and not self._messages:
            self.findings.problem(line.number, "aborted", f"found error {fields[4][:20]}, expected 0")
        self._messages.clear()
        moving = 0
        for way, start in zip(ways, starts, strict=False):
            try:
                moved, rate, iops, milliseconds = (int(value) for value in fields[start : start + 4])
            except ValueError:
                self.findings.problem(
                    line.number,
                    "malformed",
                    f"found {fields[start : start + 4]}, expected four whole numbers; left out",
                )
                continue
            if moved == 0 or (way == "mixed" and len(starts) > 1):
                continue
            moving += 1
            seconds = milliseconds / 1000
            kilo = 1024
            if (
                seconds > 0
                and abs(1000 * rate * seconds - 1024 * moved) < abs(1024 * rate * seconds - 1024 * moved) * 0.2
            ):
                kilo = 1000
            values: dict[str, object] = {
                "tool": "fio",
                "tool_version": match["version"],
                "protocol": "file",
                "label": fields[2][:120] or None,
                "direction": way,
                "bytes": moved << 10,
                "duration_s": seconds,
                "throughput_bps": 8.0 * rate * kilo,
                "iops": float(iops),
                "error": error,
            }
            rounding = 0.01 + 1 / max(rate, 1) + 1 / max(moved, 1)
            self._hold(Run(line.number, line.number, values, rounding=rounding), "terse")
        if error and not moving:
            self._version = match["version"]
            self._failed(line.number, line.number)
            self._version = None

    def take(self, document: JsonDocument) -> bool:
        """Take fio's JSON."""
        version = document.value.get("fio version")
        if not isinstance(version, str):
            return False
        key = "jobs" if isinstance(document.value.get("jobs"), list) else "client_stats"
        jobs = document.value.get(key)
        if not isinstance(jobs, list):
            return False
        self._close(taken=True)
        before = document.first - 1
        lines = document.lines(key)
        names = Counter(_identity(job) for job in jobs)
        if self._form == "json":
            self._release()  # of another call
        runs, moving = len(self.findings.runs), 0
        new: list[Run] = []
        for position, job in enumerate(jobs):
            last = lines[position] if position < len(lines) else document.last
            if isinstance(job, dict) and not (job.get("jobname") == _ALL and len(jobs) > 1):
                alone = names[_identity(job)] == 1
                own = (max(before + 1, document.first), last)
                results = self._json_job(job, version.removeprefix("fio-"), own, alone=alone)
                moving += len(results)
                new += [run for run in results if not self._repeats(run.columns, [str(run.columns["label"])], own[1])]
            before = min(last, document.last - 1)
        for run in new:
            self._hold(run, "json")
        if not moving and len(self.findings.runs) == runs:
            self.findings.problem(
                document.last, "malformed", "found no job that moved data, expected bytes read or written; no run made"
            )
        return True

    def _json_job(self, job: dict[str, Any], version: str, lines: tuple[int, int], *, alone: bool) -> list[Run]:
        """Return the results of a job; without others of its name they are those of all its processes."""
        first, last = min(lines), max(lines)
        error = count(job.get("error")) or 0
        if error and not self._told:
            self.findings.problem(last, "aborted", f"found error {error} of a job, expected 0")
        jobs = at(job, "job options", "numjobs") if alone else "1"
        name, host = job.get("jobname"), job.get("hostname")
        shared: dict[str, object] = {
            "tool": "fio",
            "tool_version": version,
            "protocol": "file",
            "label": (f"{name} on {host}" if isinstance(host, str) else name)[:120] if isinstance(name, str) else None,
            "start_time": _time(number(job.get("job_start"))),
            "streams": int(jobs) or None if isinstance(jobs, str) and _COUNT.fullmatch(jobs) else None,
            "error": error != 0,
        }
        results: list[Run] = []
        for way in (*_WAYS, "mixed"):
            figures = job.get(way)
            if not isinstance(figures, dict) or (way == "mixed" and results):
                continue
            moved, rate, seconds = _json_figures(figures)
            if not moved and (moved is not None or not rate):
                continue
            if rate is not None and rate >= _TOO_FAST:
                self.findings.problem(
                    last, "inconsistent", f"found a rate of {rate:.6g} bit/s, expected less than 2^60 bytes/s; left out"
                )
                rate = None
            values = {
                **shared,
                "direction": way,
                "bytes": moved,
                "duration_s": seconds,
                "throughput_bps": rate,
                "iops": number(figures.get("iops")),
            }
            rounding = 0.01 + 8192 / max(rate or 0.0, 8192.0)
            results.append(Run(first, last, values, rounding=rounding))
        if error and not results:
            self.findings.run(Run(first, last, shared))
        return results


def _identity(job: object) -> tuple[object, ...]:
    """Return what distinguishes the jobs of a document."""
    return tuple(str(at(job, name)) for name in ("jobname", "groupid", "hostname"))


def _json_figures(figures: dict[str, Any]) -> tuple[int | None, float | None, float | None]:
    """Return bytes moved, rate [bit/s] and seconds of one direction."""
    moved, kibibytes = count(figures.get("io_bytes")), count(figures.get("io_kbytes"))
    exact, rate, milliseconds = (number(figures.get(name)) for name in ("bw_bytes", "bw", "runtime"))
    seconds = None if milliseconds is None else milliseconds / 1000
    if moved is None:
        moved = None if kibibytes is None else kibibytes << 10
    elif kibibytes is None and exact is None and not _are_bytes(moved, rate, seconds):
        moved <<= 10
    if exact is not None:
        return moved, 8 * exact, seconds
    return moved, None if rate is None else 8192 * rate, seconds


def _are_bytes(moved: int, rate: float | None, seconds: float | None) -> bool:
    """Return whether an amount is in bytes, not KiB, judged by the rate [KiB/s]."""
    return bool(rate) and bool(seconds) and moved / 1024 > 0.5 * (rate or 0.0) * (seconds or 0.0)


def _time(milliseconds: float | None) -> pd.Timestamp | None:
    """Return a time since 1970, None if it is impossible."""
    if milliseconds is None or not 0 < milliseconds < 9e12:
        return None
    return pd.Timestamp(int(milliseconds), unit="ms", tz="UTC")


def _bits(text: str, *, decimal: bool) -> float | None:
    """Return the bits of a printed amount; MB may be decimal, MiB never is."""
    match = _AMOUNT.match(text.strip())
    if match is None:
        return None
    unit, power = match["unit"], match["power"]
    if not unit and not power:
        return float(match["number"]) * 8192  # the first versions: KiB without a unit
    base = 1000 if decimal and not match["binary"] else 1024
    return float(match["number"]) * scale(power, base) * (1 if unit in {"bit", "b"} else 8)


def _iops(text: str | None) -> float | None:
    """Return requests per second as fio prints them: k and M are decimal."""
    match = _REQUESTS.fullmatch((text or "").strip())
    return float(match["number"]) * scale(match["power"], 1000) if match is not None else None


def _rounding(match: re.Match[str]) -> float:
    """Return the relative error that the printed digits allow between rate, amount and time."""
    parts = [match[name] for name in ("rate", "moved")]
    digits = sum(_half_digit(part) for part in parts)
    return 0.01 + 2 * digits + 1 / max(int(match["longest"]), 1)


def _half_digit(text: str) -> float:
    printed = re.match(_N, text)
    if printed is None or float(printed.group()) == 0:
        return 1.0
    decimals = len(printed.group().partition(".")[2])
    return 0.5 * 10.0**-decimals / float(printed.group())
