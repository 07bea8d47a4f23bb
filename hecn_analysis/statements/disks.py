"""Disks: utilisation (iostat, sar -d) and rates in tests (fio, hdparm, dd).

Units and traps
---------------
- The first report of iostat is the mean since the start of the machine; kB and MB are binary there and in hdparm.
- fio runs with random access in small blocks are left out: they do not show the rate of long files.
- dd without flushing may write to memory only, and read from it: rates above those of any disk are left out. Its
  command or the name of the file gives the direction. In a pipe it measures the pipe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

_NUMBER: Final = r"\d{1,12}(?:[.,]\d{1,6})?"
_DEVICE: Final = ("Device", "Device:", "DEV")
_SECTOR: Final = 512  # of iostat and sar, whatever the disk has [B]
_SCALES: Final = {"rkB/s": 1024, "rMB/s": 1 << 20, "kB_read/s": 1024, "MB_read/s": 1 << 20} | dict.fromkeys(
    ("rsec/s", "rd_sec/s"), _SECTOR
)
_WRITES: Final = {"wkB/s": 1024, "wMB/s": 1 << 20, "kB_wrtn/s": 1024, "MB_wrtn/s": 1 << 20} | dict.fromkeys(
    ("wsec/s", "wr_sec/s"), _SECTOR
)

#: Share of the busiest sample from which on a disk works. [B]
_WORKS: Final = 0.5

_FIO: Final = re.compile(
    rf"^\W{{0,12}}(?P<way>READ|WRITE|read|write) {{0,3}}: .{{0,200}}?\b(?:bw|BW|aggrb) ?= {{0,4}}(?P<number>{_NUMBER})"
    rf"(?P<unit>[KMGT]?i?B/s)(?: \((?P<decimal>{_NUMBER})(?P<decimal_unit>[kMGT]?B/s)\))?"
)
_RANDOM: Final = re.compile(r"rw=rand\w{1,10}|\"rw\" ?: ?\"rand")
_LARGE: Final = re.compile(r"\bbs=(?:\([A-Z]\) ?)?(?:\d{3,5}Ki?B|\d{1,3}Mi?B|\d{1,3}[mM]|\d{3,4}[kK])")
_HDPARM: Final = re.compile(
    rf"Timing (?:buffered|O_DIRECT) disk reads:.{{1,60}}?= {{0,8}}(?P<number>{_NUMBER}) (?P<prefix>[kKMG]?)B/s"
)
_DD: Final = re.compile(
    rf"(?<!\d)(?P<bytes>\d{{4,19}}) bytes (?:\([^)]{{1,40}}\) )?(?:copied,"
    rf"|transferred in) (?P<seconds>{_NUMBER}(?:e-?\d{{1,2}})?) s"
)
_COMMAND: Final = re.compile(r"\bdd\b(?:(?!\bdd\b).){0,300}?\b[io]f=\S{1,300}.{0,300}")
_SOURCE: Final = re.compile(r"\bif=(\S{1,300})")
_TARGET: Final = re.compile(r"\bof=(\S{1,300})")
_FLUSHED: Final = re.compile(r"conv=\S{0,40}f(?:data)?sync|flag=\S{0,40}(?:direct|d?sync)")
_OF_PIPES: Final = re.compile(r"\b(?:nuttcp|iperf3?|ssh|netcat|nc|socat|mbuffer|gzip)\b")
_NOWHERE: Final = re.compile(r"/dev/(?:zero|null|u?random|shm)")

_FIO_COMMAND: Final = re.compile(r"(?:^|[\s$#>])fio (?=.{0,400}(?:-{1,2}(?:rw|name|filename)|\.fio\b)).{1,400}")
_DIRECT: Final = re.compile(r"(?:-{2}|^|\s)direct ?= ?1\b|\"direct\" ?: ?\"1\"|-{2}(?:end_)?fsync=1|fdatasync=1")
_MEMORY: Final = re.compile(
    r"^\s{0,8}MemTotal: {1,12}(?P<kib>\d{4,12}) kB|^\s{0,8}Mem: {1,12}(?P<number>\d{1,7}(?:[.,]\d)?)(?P<unit>[MGT])i?\s"
    r"|^\s{0,8}Mem: {1,12}(?P<plain>\d{1,15})\s"
)
#: The command of such figures without a unit, with its option: free(1) prints KiB by default.
_FREE: Final = re.compile(r"(?:^|[$#>] ?)free(?: -(?P<option>[bkmgw]{1,2}))?\s{0,8}$", re.MULTILINE)
_SCALES_OF_FREE: Final = {"b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

#: Rate that a dd without flushing may have, and one that reads; above, it was memory [bit/s]. [B]
_MEMORY_BPS: Final = 16e9

#: What a dd moves at the least to be a test [B]. [B]
_LEAST: Final = 10_000_000


def find(document: Document) -> Iterator[Statement]:
    """Find the utilisation of disks, and their rates in tests."""
    text = document.text
    if any(word in text for word in ("%util", "kB_read/s", "MB_read/s", '"disk_device"')):
        yield from _iostat(document)
    if '"bw_bytes"' in text:
        yield from _fio_json(document)
    elif any(word in text for word in ("bw=", "BW=", "aggrb")):
        yield from _fio(document)
    if "disk reads:" in text:
        for number, line in enumerate(document.lines, 1):
            if "disk reads:" in line and (match := _HDPARM.search(line)) is not None:
                scale = {"": 1, "k": 1024, "m": 1 << 20, "g": 1 << 30}[match["prefix"].lower()]
                yield _said(document, "disk.read_bps", 8 * scale * _float(match["number"]), number)
    if " bytes " in text and ("copied," in text or "transferred in" in text):
        yield from _dd(document)
    if "fio" in text or " of=" in text or " if=" in text:
        yield from _direct(document)
    if "Mem:" in text or "MemTotal:" in text:
        yield from _memory(document)


def _said(document: Document, name: str, value: float, line: int) -> Statement:
    """Make a statement from a line."""
    words = document.lines[line - 1].strip()[:300]
    return Statement(name, value, document.source_file, line, words, end_of(document.source_file))


def _float(text: str) -> float:
    """Read a number with a decimal point or comma."""
    return float(text.replace(",", "."))


# --- iostat, sar -d ---


#: A column of a device in iostat's JSON, which stands in a line.
_OF_JSON: Final = re.compile(r"\"([\w/-]{1,12})\": (\d{1,12}\.\d\d)(?!\d)")


def _rows(document: Document) -> Iterator[tuple[int, dict[str, float], int]]:
    """Yield the sample, columns by name and line of each device's row."""
    names: list[str] = []
    sample = 0
    for number, text in enumerate(document.lines, 1):
        if '"disk": [' in text:
            sample += 1
        elif '{"disk_device"' in text:
            row = {name: float(value) for name, value in _OF_JSON.findall(text)}
            yield sample, row | {"%util": row.get("util", 0.0)}, number
        words = text.split()
        at = next((words.index(word) for word in _DEVICE if word in words), -1)
        if at >= 0 and ("%util" in words or "kB_read/s" in words or "MB_read/s" in words):
            names, sample = words[at + 1 :], sample + 1
        elif names and len(words) > len(names) and not words[0].endswith("Average:"):
            try:
                values = [_float(word) for word in words[-len(names) :]]
            except ValueError:
                continue
            yield sample, dict(zip(names, values, strict=True)), number


def _iostat(document: Document) -> Iterator[Statement]:
    """State the busiest device while it works, by utilisation or else by rate."""
    busiest: dict[int, tuple[float, dict[str, float], int]] = {}
    for sample, row, line in _rows(document):
        rate = _rate(row, _SCALES) + _rate(row, _WRITES)
        key = (row.get("%util", 0.0) + rate / 1e15, row, line)
        if sample not in busiest or key[0] > busiest[sample][0]:
            busiest[sample] = key
    is_iostat = "avg-cpu" in document.text or "iostat" in PurePath(document.source_file).name
    kept = [
        row_of_sample
        for sample, row_of_sample in sorted(busiest.items())
        if sample > 1 or len(busiest) == 1 or not is_iostat
    ]
    working = [candidate for candidate in kept if candidate[0] >= _WORKS * max(candidate[0] for candidate in kept)]
    if not working:
        return
    _, row, line = sorted(working, key=lambda candidate: candidate[0])[(len(working) - 1) // 2]
    if "%util" in row:
        yield _said(document, "disk.utilisation", min(row["%util"] / 100, 1.0), line)
    for name, scales in (("disk.reading_bps", _SCALES), ("disk.writing_bps", _WRITES)):
        rates = sorted((_rate(candidate[1], scales), candidate[2]) for candidate in working)
        if rates[-1][0] > 0:
            yield _said(document, name, *rates[(len(rates) - 1) // 2])


def _rate(row: dict[str, float], scales: dict[str, int]) -> float:
    """Read a rate in bit/s."""
    return sum(8 * scale * row[name] for name, scale in scales.items() if name in row)


# --- fio ---


def _is_small_and_random(text: str) -> bool:
    """Whether a fio run reads or writes small blocks at random."""
    return _RANDOM.search(text) is not None and _LARGE.search(text) is None


def _fio(document: Document) -> Iterator[Statement]:
    """State the rates of the groups, or of the jobs if there are no groups."""
    if _is_small_and_random(document.text):
        return
    groups: dict[str, tuple[float, int]] = {}
    jobs: dict[str, tuple[float, int]] = {}
    for number, text in enumerate(document.lines, 1):
        if ("=" in text and "ead" in text.lower()) or "rite" in text.lower():
            match = _FIO.match(text)
            if match is not None:
                way, where = match["way"].lower(), groups if match["way"].isupper() else jobs
                where.setdefault(way, (_fio_rate(match), number))
    for way, (rate, line) in (groups or jobs).items():
        yield _said(document, f"disk.{way}_bps", rate, line)


def _fio_rate(match: re.Match[str]) -> float:
    """Read the rate of a line, the decimal one if it has both; before 2.99, KB are binary."""
    if match["decimal"]:
        unit, number = match["decimal_unit"], match["decimal"]
        return 8 * _float(number) * 1000.0 ** " kMGT".index(unit[0] if unit != "B/s" else " ")
    unit = match["unit"]
    return 8 * _float(match["number"]) * 1024.0 ** " KMGT".index(unit[0] if unit != "B/s" else " ")


def _fio_json(document: Document) -> Iterator[Statement]:
    """State the total rate of the jobs in fio's JSON."""
    whole = document.json
    jobs = whole.get("jobs") if isinstance(whole, dict) else None
    if not isinstance(jobs, list) or (_is_small_and_random(document.text) and '"bs" : "1' not in document.text):
        return
    for way in ("read", "write"):
        sides = [job[way] for job in jobs if isinstance(job, dict) and isinstance(job.get(way), dict)]
        rates = [rate for side in sides if isinstance(rate := side.get("bw_bytes"), int | float) and rate > 0]
        if rates:
            number = next((n for n, text in enumerate(document.lines, 1) if _has(text, max(rates))), 1)
            yield _said(document, f"disk.{way}_bps", 8.0 * sum(rates), number)


def _has(text: str, rate: float) -> bool:
    """Whether a line of JSON contains this rate."""
    return '"bw_bytes"' in text and text.rstrip(" ,").endswith(f" {rate}")


def _direct(document: Document) -> Iterator[Statement]:
    """State for each command, and for fio's options, whether it bypasses or flushes the page cache."""
    for number, text in enumerate(document.lines, 1):
        if len(text) > 2000:
            continue
        if "f=" in text and (dd := _COMMAND.search(text)) is not None and _OF_PIPES.search(dd[0]) is None:
            yield _said(document, "asked.direct", float(_FLUSHED.search(dd[0]) is not None), number)
        elif "fio" in text and (fio := _FIO_COMMAND.search(text)) is not None:
            yield _said(document, "asked.direct", float(_DIRECT.search(fio[0]) is not None), number)
        elif "direct" in text and _DIRECT.search(text) is not None:
            yield _said(document, "asked.direct", 1.0, number)


def _memory(document: Document) -> Iterator[Statement]:
    """State the memory of the host, from free or /proc/meminfo."""
    for number, text in enumerate(document.lines, 1):
        if "Mem" in text and (match := _MEMORY.match(text)) is not None:
            if match["plain"]:
                value = float(match["plain"]) * _scale_of_free(document.lines[max(number - 4, 0) : number])
            elif match["kib"]:
                value = float(match["kib"]) * 1024
            else:
                value = _float(match["number"]) * 1024.0 ** (2 + "MGT".index(match["unit"]))
            if value > 0:
                yield _said(document, "host.memory_bytes", value, number)
                return


def _scale_of_free(lines: Sequence[str]) -> int:
    """Return the unit of a figure of free by the command above it, 0 without one [B]."""
    command = _FREE.search("\n".join(lines))
    option = "" if command is None else (command["option"] or "").strip("w") or "k"
    return _SCALES_OF_FREE.get(option, 0)


# --- dd ---


def _dd(document: Document) -> Iterator[Statement]:
    """State the rates of dd that reads or writes a file outside a pipe."""
    if _OF_PIPES.search(document.text) is not None:
        return
    command = ""
    words = re.split(r"[^a-z]", PurePath(document.source_file).name.lower())
    for number, text in enumerate(document.lines, 1):
        if len(text) < 2000 and "f=" in text and (typed := _COMMAND.search(text)) is not None:
            command = typed[0]
        if " bytes " not in text or (match := _DD.search(text)) is None:
            continue
        seconds = _float(match["seconds"])
        way = _way(command) if command else next((word for word in ("read", "write") if word in words), "")
        rate = 8 * float(match["bytes"]) / seconds if seconds > 0 else 0.0
        if way and float(match["bytes"]) >= _LEAST and rate and (rate < _MEMORY_BPS or _FLUSHED.search(command)):
            yield _said(document, f"disk.{way}_bps", rate, number)


def _way(command: str) -> str:
    """Return the direction of dd between a file and nowhere, or "" for copies and pipes."""
    source, target = _SOURCE.search(command), _TARGET.search(command)
    of_file = [end is not None and _NOWHERE.match(end[1]) is None for end in (source, target)]
    if "|" in command or source is None or target is None or of_file[0] == of_file[1]:
        return ""
    return "read" if of_file[0] else "write"
