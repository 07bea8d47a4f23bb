"""Reports of iostat, as text or JSON: how busy disks and processors are. There are no interfaces in them, all is facts.

Versions: sysstat 7 to 12.7 in any locale (see `sysstat`): ``-x`` or not, ``-m``, ``-t``, ``-d``, ``-c``, ``-o JSON``.

Units and traps
---------------
- kB are 1024 bytes, MB 2**20; "avgrq-sz" of old versions are sectors of 512 bytes; times of waiting are milliseconds.
- The first report is the average since the host started. The last report of each disk counts, and as `max_read_bps`
  and `max_write_bps` the largest rates of all but the first.
- Without ``-t`` there are no times at all.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.json_parts import hosts_of, values_of
from hecn_analysis.counters.programs.readings import local_time, moments
from hecn_analysis.counters.programs.sysstat import day_of, first_line, stamp_of
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number
from hecn_analysis.parsing.json_values import objects

FORMATS: Final = ("iostat-x", "iostat", "iostat-json")
VERSIONS: Final = "sysstat 7 to 12.7"
WHOLE: Final = False

_DEVICES: Final = re.compile(
    r"^[ \t]{0,20}Device:?\s+(?P<columns>(?:rrqm/s|r/s|tps|kB_read/s|Blk_read/s)\b.*)$", re.MULTILINE
)
_DEVICES_LAST: Final = re.compile(r"^[ \t]+(?P<columns>(?:r/s|tps)\s.*)[ \t]Device:?[ \t]*$", re.MULTILINE)
_PROCESSORS: Final = re.compile(r"^avg-cpu:\s+(?P<columns>%user.*)$", re.MULTILINE)
_HEAD: Final = re.compile(r"%?[a-zA-Z][\w-]{1,11}(?:/s)?")
_CLOCK: Final = re.compile(r"\d\d:\d\d:\d\d")
_UNITS: Final = {"kB": 1024.0, "MB": float(1 << 20), "Blk": 512.0, "sec": 512.0}


def recognises(document: Document) -> bool:
    """Whether a table of disks or the line of processors is there, or it is such JSON."""
    if document.start.startswith("{"):
        return '"sysstat"' in document.start[:200] and bool(re.search(r'"(?:avg-cpu|disk_device)"', document.start))
    return bool(
        _DEVICES.search(document.start)
        or _DEVICES_LAST.search(document.start)
        or (_PROCESSORS.search(document.start) and first_line(document))
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read how busy disks and processors are."""
    if document.start.startswith("{"):
        findings.format = "iostat-json"
        for value in values_of(document, findings):
            _json(value, findings)
        return
    _text(document, findings)


def _text(document: Document, findings: CounterFindings) -> None:
    first = first_line(document)
    extended = any(
        "%util" in match.group()
        for match in (*_DEVICES.finditer(document.text), *_DEVICES_LAST.finditer(document.text))
    )
    findings.format = "iostat-x" if extended else "iostat"
    if first:
        day, _ = day_of(first.date)
        findings.facts.update(host=first.host, n_cpus=first.cpus, date=day.isoformat() if day else None)
    reports = {"cpu": 0, "devices": 0}
    stamps: list[datetime] = []
    times: list[float | None] = []
    columns: list[str] = []
    kind = ""
    devices: dict[str, list[dict[str, Any]]] = {}
    cpu: dict[str, float] = {}
    table = _Table([], name_last=False)
    for line, text in enumerate(document.lines, 1):
        stamp = stamp_of(text) if text[:1].isdecimal() else None
        if stamp is not None:
            stamps.append(stamp)
            times.append(local_time(findings, line, stamp))
        elif match := _PROCESSORS.match(text):
            kind, columns = "cpu", match["columns"].split()
            reports["cpu"] += 1
        elif match := _DEVICES.match(text) or _DEVICES_LAST.match(text):
            kind, columns = "devices", match["columns"].split()
            table.close(findings)
            table = _Table(columns, name_last=not text.lstrip().startswith("Device"))
            reports["devices"] += "tps" in columns or columns[0] in {"r/s", "rrqm/s", "kB_read/s", "Blk_read/s"}
        elif not text.strip():
            kind = "" if kind == "devices" else kind
        elif kind == "cpu":
            values = [number(word) for word in text.split()]
            cpu = {
                name.strip("%"): value / 100 for name, value in zip(columns, values, strict=False) if value is not None
            }
            kind = ""
        elif kind == "devices" and not table.take(line, text, devices, findings):
            kind = ""
    table.close(findings)
    findings.facts.update(moments(times))
    if stamps:
        findings.facts.update(first_time_local=_bare(stamps[0]), last_time_local=_bare(stamps[-1]))
    findings.facts["n_samples"] = max(reports.values())
    findings.facts.update(devices=[_with_peaks(reports) for reports in devices.values()], cpu=cpu)


class _Table:
    """The disks of one report, whose lines may be broken, or have times in front."""

    def __init__(self, columns: list[str], *, name_last: bool) -> None:
        self._columns, self._name_last = columns, name_last
        self._name: str | None = None
        self._line = 0
        self._figures: list[str] = []

    def close(self, findings: CounterFindings) -> None:
        """Report the last disk if its line is cut off."""
        if self._name is not None and len(self._figures) < len(self._columns):
            counted = f"found {len(self._figures)} figures of {self._name}, expected {len(self._columns)}"
            findings.problem(self._line, "truncated", f"{counted}; read as far as it goes")
        self._name = None

    def take(self, line: int, text: str, devices: dict[str, list[dict[str, Any]]], findings: CounterFindings) -> bool:
        """Read a line: more heads, a disk, or the rest of one; False if words below the table end it."""
        words = text.split()
        if self._name is None and all(map(_HEAD.fullmatch, words)):
            self._columns.extend(words)
            if "%util" in words:
                findings.format = "iostat-x"
            return True
        if self._name is not None and all(number(word) is not None for word in words):
            self._figures.extend(words)
            devices[self._name].pop()
        else:
            words = words[1:] if _CLOCK.fullmatch(words[0]) and len(words) > 1 else words
            name, rest = (words[-1], words[:-1]) if self._name_last else (words[0], words[1:])
            if not rest or any(number(word) is None for word in rest):
                message = f"found {text.strip()[:60]!r}, expected the figures of a disk; left out"
                findings.problem(line, "malformed", message)
                return any(number(word) is not None for word in words)
            self.close(findings)
            self._name, self._line, self._figures = name, line, rest
        row = dict(zip(self._columns, map(number, self._figures), strict=False))
        devices.setdefault(self._name, []).append(_device(self._name, row))
        return True


def _with_peaks(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """The last report of a disk, with the largest rates of all but the first, which is since the start."""
    rates = [rate for rate in ("read_bps", "write_bps") if len(reports) > 1 and all(rate in each for each in reports)]
    return {**reports[-1], **{f"max_{rate}": max(each[rate] for each in reports[1:]) for rate in rates}}


def _bare(stamp: datetime) -> str:
    return stamp.replace(tzinfo=None).isoformat()


def _device(name: str, row: dict[str, float | None]) -> dict[str, Any]:
    """Facts of a disk in SI units."""
    facts: dict[str, Any] = {"name": name, "reads_per_s": row.get("r/s"), "writes_per_s": row.get("w/s")}
    for way, letter in (("read", "r"), ("write", "w")):
        for unit, factor in _UNITS.items():
            value = row.get(f"{letter}{unit}/s", row.get(f"{unit}_{'read' if letter == 'r' else 'wrtn'}/s"))
            if value is not None:
                facts[f"{way}_bps"] = 8 * factor * value
    for key, column, factor in (
        ("util_fraction", "%util", 0.01),
        ("await_s", "await", 1e-3),
        ("r_await_s", "r_await", 1e-3),
    ):
        if (value := row.get(column)) is not None:
            facts[key] = factor * value
    return facts


def _json(value: Any, findings: CounterFindings) -> None:  # noqa: ANN401 - of any JSON
    for host in hosts_of(value):
        entries = [entry for entry in objects(host.get("statistics")) if entry]
        stamps = [stamp for entry in entries if (stamp := stamp_of(str(entry.get("timestamp", ""))))]
        findings.facts.update(moments(local_time(findings, None, stamp) for stamp in stamps))
        day, _ = day_of(str(host.get("date", "")), clock=bool(stamps))
        findings.facts.update(
            host=host.get("nodename"), n_cpus=host.get("number-of-cpus"), n_samples=len(entries),
            date=day.isoformat() if day else None,
        )  # fmt: skip
        if stamps:
            findings.facts.update(first_time_local=_bare(stamps[0]), last_time_local=_bare(stamps[-1]))
        last = entries[-1] if entries else {}
        findings.facts["devices"] = [disk.get("disk_device") for disk in objects(last.get("disk"))]
        load = last.get("avg-cpu")
        if isinstance(load, dict) and (idle := number(str(load.get("idle")))) is not None:
            findings.facts["cpu"] = {"last_busy_fraction": round(1 - idle / 100, 6)}
