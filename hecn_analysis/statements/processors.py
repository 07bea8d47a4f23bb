"""Processors: mpstat, sar -u, vmstat, top, ps, pidstat, limits of control groups, number of cores.

Units and traps
---------------
- The busiest core of a moment limits a stream, and may change. Waiting for disks is idle time.
- Only samples with at least half of the highest load count, since a capture is longer than a run.
- A table without single cores ("all") shows the busiest one only if there is one core, or all are busy.
- ``top`` counts in cores (100 % is one); BusyBox's in shares of the machine, which is left out.
- The first row of vmstat is the mean since the start of the machine. A quota of "max" or -1 is unlimited.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hecn_analysis.files.documents import Document
from hecn_analysis.statements.statement import Statement, end_of

#: Share of the hardest sample from which on the machine works. [B]
_WORKS: Final = 0.5

#: Share from which on the mean of all cores says that the busiest one is busy. [B]
_ALL_BUSY: Final = 0.85

#: Steal that is worth saying, and what a process takes to count among the others [cores]. [B]
_LEAST_STEAL: Final = 0.01
_LEAST_OTHER: Final = 0.05

_TOOLS: Final = re.compile(
    r"iperf[23]?(?:\.exe)?|n?uttcp\S{0,20}|n?ttcp|ntttcp\S{0,10}|netperf|netserver|sshd?|scp|sftp(?:-server)?|rsync"
    r"|dd|cp|n?cat|nc"
    r"|socat|bbcp|bbftpd?|globus-\S{0,20}|gridftp\S{0,20}|curl|wget2?|l?ftp|rclone|smbd|nfsd|cifsd|fdt|qperf|ethr|fio"
    r"|tar"
    r"|aria2c|vsftpd|proftpd|dropbear|ascp|hpn\S{0,10}|mbuffer|pv|gzip|pigz|openssl"
)
_CORES: Final = re.compile(
    r"\((?P<sysstat>\d{1,5}) CPU\)|^\s{0,40}CPU\(s\):\s{1,60}(?P<lscpu>\d{1,5})\s{0,40}$", re.MULTILINE
)
_QUOTAS: Final = re.compile(
    r"CPUQuota ?= ?(?P<percent>\d{1,5}(?:\.\d{1,3})?)%"
    r"|CPUQuotaPerSecUSec=(?P<seconds>\d{1,5}(?:\.\d{1,6})?)(?P<unit>ms|s)\b"
    r"|--cpus[= ](?P<cpus>\d{1,4}(?:\.\d{1,3})?)"
    r"|\bcpus: ['\"]?(?P<compose>\d{1,4}(?:\.\d{1,3})?)['\"]?\s{0,10}$"
    r"|\"NanoCpus\": (?P<nano>[1-9]\d{5,14})"
    r"|--cpu-quota[= ](?P<quota>\d{1,9})"
)
_OF_QUOTAS: Final = ("cfs_", "nr_throttled", "CPUQuota", "--cpu", "cpus:", "NanoCpus", "cpu.max")
_PAIR: Final = re.compile(
    r"^\s{0,40}(?:\S{0,200}?cpu\.max[=: ]\s{0,10})?(?P<quota>\d{1,9})\s(?P<period>\d{3,9})\s{0,20}$"
)
_SETTING: Final = re.compile(
    r"(?:cpu\.)?(?P<name>cfs_quota_us|cfs_period_us|nr_periods|nr_throttled)\s{0,10}[=: ]\s{0,10}(?P<value>-?\d{1,18})"
)


#: Columns of what the kernel does, and of what it is kept from; sar without -u ALL counts interrupts as %system.
_OF_KERNEL: Final = ("%sys", "%system", "%irq", "%soft", "%steal")

#: Share of a core's work that the kernel does at least where the core serves the network, too. [1]
_SERVES: Final = 0.4


class _Row(NamedTuple):
    """The load of one or all cores in a sample: shares of the time; of an unknown share of the kernel, all of it."""

    core: str
    busy: float
    kernel: float
    soft: float | None
    iowait: float
    steal: float
    line: int
    says: str


def find(document: Document) -> Iterator[Statement]:
    """Find the busiest core, what uses it, its quota, and the number of cores."""
    text, name = document.text, document.source_file
    if "idle" in text or " wa" in text or "%Cpu" in text or "Cpu(s)" in text:
        yield from _loads(document)
    if "%CPU" in text and "PID" in text:
        yield from _processes(document)
    if "cpu.max" in name or any(word in text for word in _OF_QUOTAS):
        yield from _quota(document)
    if "CPU" in text and (cores := _CORES.search(text)) is not None:
        number, start = float(cores["sysstat"] or cores["lscpu"]), max(cores.start("sysstat"), cores.start("lscpu"))
        yield _said(document, "cpu.cores", number, text.count("\n", 0, start) + 1)
    if "nproc" in name and len(text) < 100 and (first := text.split()) and first[-1].isdecimal():
        yield _said(document, "cpu.cores", float(first[-1][:5]), document.text.rstrip().count("\n") + 1)


def _said(document: Document, name: str, value: float, line: int, says: str = "") -> Statement:
    """Make a statement from a line."""
    words = says or document.lines[line - 1].strip()
    return Statement(name, value, document.source_file, line, words[:300], end_of(document.source_file))


# --- Loads ---


def _numbers(words: Sequence[str]) -> list[float] | None:
    """Read words that are all numbers, with a decimal point or comma."""
    plain = [word.replace(",", ".").rstrip("%") for word in words]
    if not all(word.replace(".", "", 1).isdecimal() and len(word) < 16 for word in plain):
        return None
    return [float(word) for word in plain]


def _row(names: Sequence[str], words: Sequence[str], line: int, text: str) -> _Row | None:
    """Read the load of a core from a row that ends with the named columns."""
    values = _numbers(words[-len(names) :])
    if values is None or len(words) <= len(names):
        return None
    of = dict(zip(names, values, strict=True))
    wait, idle = of.get("%iowait", 0.0), of["%idle"]
    if idle + wait > 100.5:
        return None
    busy = round(max(1 - (idle + wait) / 100, 0.0), 6)
    soft = of["%soft"] / 100 if "%soft" in of else None
    shares = [of[name] / 100 for name in _OF_KERNEL if name in of]
    kernel = sum(shares) if shares else busy
    return _Row(words[-len(names) - 1], busy, kernel, soft, wait / 100, of.get("%steal", 0.0) / 100, line, text.strip())


#: A core in mpstat's JSON, which stands in a line.
_CORE_OF_JSON: Final = re.compile(r"\{\"cpu\": \"(-1|all|\d{1,5})\"")
_SHARES_OF_JSON: Final = re.compile(r"\"([a-z]{2,6})\": (\d{1,3}\.\d\d)(?!\d)")


def _tables(document: Document) -> Iterator[tuple[bool, str, _Row]]:
    """Read mpstat (also its JSON) and sar: whether a row is an average, its sample, and the row."""
    names: list[str] = []
    moment = ""
    for number, text in enumerate(document.lines, 1):
        if '"cpu-load"' in text:
            moment = f"{number}"
        if (core_of_json := _CORE_OF_JSON.search(text)) is not None:
            shares = _SHARES_OF_JSON.findall(text)
            core = core_of_json[1].replace("-1", "all")
            heads, parts = [f"%{name}" for name, _ in shares], [share for _, share in shares]
            if "%idle" in heads and (row := _row(heads, [core, *parts], number, text)) is not None:
                yield False, moment, row
            continue
        words = text.split()
        if "CPU" in words:
            names = words[words.index("CPU") + 1 :] if "%idle" in words else []
        if not names or len(words) < len(names) + 1:
            continue
        is_average = len(words) > len(names) + 1 and words[0].endswith(":")
        moment = "" if is_average else " ".join(words[: -len(names) - 1])
        core = words[-len(names) - 1]
        if (core == "all" or core.isdecimal()) and (row := _row(names, words, number, text)) is not None:
            yield is_average, moment, row


_OVER_ALL: Final = re.compile(
    r"(?P<us>\d{1,3}[.,]\d)[ %]{0,2}us,.{0,60}?(?P<id>\d{1,3}[.,]\d)[ %]{0,2}id,\s{0,3}(?P<wa>\d{1,3}[.,]\d)[ %]{0,2}wa"
)


_LAST_OF_VMSTAT: Final = {"%idle", "%iowait", "%steal"}


def _means(document: Document) -> Iterator[_Row]:
    """Read the load of all cores together from iostat, vmstat and top."""
    names: list[str] = []
    rows: list[_Row] = []
    for number, text in enumerate(document.lines, 1):
        words = text.split()
        if words[:1] == ["avg-cpu:"] and "%idle" in words:
            names = words[1:]
        elif {"us", "sy", "id", "wa"} <= set(words):
            names = [{"id": "%idle", "wa": "%iowait", "st": "%steal"}.get(word, word) for word in words]
            names = names[: max(names.index(name) for name in names if name in _LAST_OF_VMSTAT) + 1]
        elif "Cpu" in text and (match := _OVER_ALL.search(text)) is not None:
            row = _row(["%idle", "%iowait"], ["all", match["id"], match["wa"]], number, text)
            rows.extend([] if row is None else [row])
        elif names and len(words) >= len(names) and (row := _row(names, ["all", *words[: len(names)]], number, text)):
            rows.append(row)
            if names[0] != "r":
                names = []
    yield from rows[1:] or rows


def _middle(rows: Iterable[_Row], key: str) -> _Row | None:
    """Return the row with the lower median of a column."""
    ordered = sorted(rows, key=lambda row: float(getattr(row, key)))
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _loads(document: Document) -> Iterator[Statement]:
    """State the load of the busiest core while the machine works, and what it waits for."""
    rows = list(_tables(document))
    kept = [row for row in rows if not row[0]] or rows
    of_cores: dict[str, list[_Row]] = {}
    for _, moment, row in kept:
        if row.core != "all":
            of_cores.setdefault(moment, []).append(row)
    single = [max(cores, key=lambda row: row.busy) for cores in of_cores.values()]
    over_all = [row for _, _, row in kept if row.core == "all"] or list(_means(document))
    cores = _CORES.search(document.start[:2000])
    is_alone = cores is not None and cores["sysstat"] == "1"
    busiest = _middle(_working(single or over_all), "busy")
    if busiest is not None and (single or is_alone or busiest.busy >= _ALL_BUSY) and not _is_first_of_top(over_all):
        yield _said(document, "cpu.busiest", busiest.busy, busiest.line)
        yield from _of_kernel(document, list(of_cores.values()) or [[row] for row in _working(over_all)])
    if (wait := _middle(_working(over_all), "iowait")) is not None:
        yield _said(document, "cpu.iowait", wait.iowait, wait.line)
    if (steal := _middle(_working(over_all), "steal")) is not None and steal.steal >= _LEAST_STEAL:
        yield _said(document, "cpu.steal", steal.steal, steal.line)


def _of_kernel(document: Document, moments: Sequence[Sequence[_Row]]) -> Iterator[Statement]:
    """State the load of the core on which the kernel does most, and of the one that takes most packets in."""
    kernel = _middle(_working(max(cores, key=lambda row: row.kernel) for cores in moments), "kernel")
    if kernel is not None:
        serves = kernel.kernel >= _SERVES * kernel.busy
        yield _said(document, "cpu.kernel", kernel.busy if serves else kernel.kernel, kernel.line)
    softs = [[row for row in cores if row.soft is not None] for cores in moments]
    takes = _middle(_working(max(cores, key=lambda row: row.soft or 0.0) for cores in softs if cores), "soft")
    if takes is not None and takes.soft is not None:
        yield _said(document, "cpu.softirq", takes.soft, takes.line)


def _is_first_of_top(rows: Sequence[_Row]) -> bool:
    """Whether the only data are the first screen of top, which shows a moment."""
    return len(rows) == 1 and "Cpu" in rows[0].says


def _working(rows: Iterable[_Row]) -> list[_Row]:
    """Leave out samples with little load."""
    given = list(rows)
    most = max((row.busy + row.iowait for row in given), default=0.0)
    return [row for row in given if row.busy + row.iowait >= _WORKS * most]


# --- Processes ---


def _processes(document: Document) -> Iterator[Statement]:
    """State how many cores the tool and the other processes use."""
    samples: list[tuple[list[tuple[float, int]], list[tuple[float, int]]]] = []
    header: list[str] = []
    for number, text in enumerate(document.lines, 1):
        words = text.split()
        if "PID" in words and "%CPU" in words:
            header = words if words[-1] in {"COMMAND", "CMD", "Command"} and "%VSZ" not in words else []
            samples.append(([], []))
            continue
        if not header or len(words) < len(header) - 1 or words[0].endswith(":"):
            continue
        start = 0 if len(words) >= len(header) else len(words) - len(header)
        load, program = words[start + header.index("%CPU")], words[start + len(header) - 1]
        number_of_cores = _numbers([load])
        if number_of_cores is not None and words[start + header.index("PID")].isdecimal():
            name = program.rpartition("/")[2].rstrip(":")
            samples[-1][0 if _TOOLS.fullmatch(name) else 1].append((number_of_cores[0] / 100, number))
    for index, name in enumerate(("cpu.tool", "cpu.others")):
        sums = [
            (sum(share for share, _ in rows), max(rows)[1])
            for rows in ([row for row in sample[index] if not index or row[0] > _LEAST_OTHER] for sample in samples)
            if rows
        ]
        if sums:
            value, line = sorted(sums)[(len(sums) - 1) // 2]
            yield _said(document, name, value, line)


# --- Quotas ---


def _quota(document: Document) -> Iterator[Statement]:
    """State the quota of a process in cores, and how often it was throttled."""
    of: dict[str, tuple[float, int]] = {}
    is_cpu_max = "cpu.max" in document.source_file or "cpu.max" in document.text
    for number, text in enumerate(document.lines, 1):
        if "cfs_" in text or "nr_" in text:
            for match in _SETTING.finditer(text):
                of[match["name"]] = float(match["value"]), number
        elif "pu" in text.lower() and (limit := _QUOTAS.search(text)) is not None:
            if (cores := _cores(limit)) > 0:
                yield _said(document, "cpu.quota", cores, number)
        elif is_cpu_max and (pair := _PAIR.match(text)) is not None and float(pair["quota"]) > 0:
            yield _said(document, "cpu.quota", float(pair["quota"]) / float(pair["period"]), number)
        elif is_cpu_max and text.strip().startswith("max "):
            yield _said(document, "cpu.quota", math.inf, number)
    quota, period = of.get("cfs_quota_us"), of.get("cfs_period_us", (100_000.0, 0))
    if quota is not None and period[0] > 0:
        yield _said(document, "cpu.quota", quota[0] / period[0] if quota[0] > 0 else math.inf, quota[1])
    periods, throttled = of.get("nr_periods", (0.0, 0)), of.get("nr_throttled")
    if throttled is not None and periods[0] >= 10:
        yield _said(document, "cpu.throttled", min(throttled[0] / periods[0], 1.0), throttled[1])


def _cores(match: re.Match[str]) -> float:
    """Read a quota in cores."""
    if match["seconds"]:
        return float(match["seconds"]) * (1e-3 if match["unit"] == "ms" else 1.0)
    for name, scale in (("percent", 1e-2), ("cpus", 1.0), ("compose", 1.0), ("nano", 1e-9), ("quota", 1e-5)):
        if match[name]:
            return float(match[name]) * scale
    return 0.0
