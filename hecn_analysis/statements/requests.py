"""Requests to a tool: command lines above an output, and the options that iperf3 and pScheduler write into their JSON.

pScheduler names both ends of a test between two other hosts: its source counts as the end that wrote the output, with
``--reverse`` its destination, which then sends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.logs.options import option_values
from hecn_analysis.statements.statement import Statement, end_of

_COMMAND: Final = re.compile(
    r"(?:^|[\s|;&$#>])(?:sudo )?((?:[\w./~-]{0,80}/)?(?:iperf3?|nuttcp|nttcp)(?:\.exe)?)(?= +-)([^|;&<>#\n]{1,400})"
)
_CONNECTED: Final = re.compile(
    r"\blocal ([\w.:%-]{1,80}) port \d{1,5} connected (?:to|with) ([\w.:%-]{1,80}) port"
    r'|"local_host"\s{0,40}:\s{0,40}"([^"\n]{1,80})"'
    r'|"remote_host"\s{0,40}:\s{0,40}"([^"\n]{1,80})"'
)
_WORDS: Final = (
    "connected",
    "iperf",
    "nuttcp",
    "nttcp",
    "test_start",
    "sock_bufsize",
    "max_snd_wnd",
    "window size",
    "rsync ",
    "scp ",
    "globus-url-copy ",
    "pscheduler",
    '"dest"',
)
_IN_LINES: Final = (
    "connected",
    "onnecting to",
    "_host",
    "perf",
    "ttcp",
    "window size",
    "rsync ",
    "scp ",
    "-url-copy ",
    "pscheduler",
)
_SCHEDULED: Final = re.compile(r"\bpscheduler task (?:[^|;&<>#\n]{1,200} )?throughput ([^|;&<>#\n]{1,400})")
_SPECIFIED: Final = re.compile(r'"spec"\s{0,40}:\s{0,40}\{[^{}]{0,2000}\}')
_END: Final = re.compile(r'"(source|dest)"\s{0,40}:\s{0,40}"([^"\n]{1,80})"|"(reverse)"\s{0,40}:\s{0,40}true')
_HOST: Final = r"(?:[\w.-]{1,64}@)?((?=\d{0,9}[A-Za-z.])[A-Za-z0-9][\w.-]{1,80}|\[[0-9a-fA-F:.]{2,45}\])"
_COPIED: Final = re.compile(  # the last argument of a copy, where it names a host
    rf"(?:^|[\s|;&$#>])(?:rsync|scp) (?:(?!rsync |scp )[^|;&<>#\n]){{1,400}}? (?!\w{{2,9}}://){_HOST}::?\S{{0,300}}\s{{0,9}}$"
)
_TO_URL: Final = re.compile(
    r"(?:^|[\s|;&$#>])(?:rsync|globus-url-copy) [^|;&<>#\n]{1,400}? (?:rsync|gsiftp|sshftp)://"
    rf"{_HOST}(?::\d{{1,5}})?/\S{{0,300}}\s{{0,9}}$"
)
_LONGEST: Final = 20_000
#: Lines between the streams of one run, at most: those of the next run stand farther away. [B]
_OF_ONE_RUN: Final = 8
_AMOUNT: Final = re.compile(r"(\d{1,15}(?:\.\d{0,9})?)([kKmMgGtT]?)")
_POWERS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_PIPE: Final = re.compile(r"\bdd (?:(?!\bdd )[^|\n]){0,300}?\b[io]f=(\S{1,200})")
_PROGRAM: Final = re.compile(r"\| {0,9}(?!tee\b|grep\b|tail\b|head\b|cat\b)[\w./-]{1,80}(?: |$)")
_NO_FILES: Final = ("/dev/zero", "/dev/null")
_START: Final = re.compile(r'"test_start"\s{0,40}:\s{0,40}\{[^{}]{0,2000}\}')
_KEY: Final = re.compile(
    r'"(sock_bufsize|max_snd_wnd|min_rtt|mean_rtt|target_bitrate|bytes|num_streams)"\s{0,40}:\s{0,40}(\d{1,18})\b'
)
_NAMED: Final = re.compile(
    r"\bConnecting to host ([\w.:-]{1,80}), port|\bClient connecting to ([\w.:-]{1,80}), (?:TCP|UDP) port"
)
_NAMED_IN_JSON: Final = re.compile(r'"connecting_to"\s{0,40}:\s{0,40}\{\s{0,40}"host"\s{0,40}:\s{0,40}"([^"\n]{1,80})"')
#: When a run of iperf3 began, and the mark that the logs of both its ends have.
_BEGAN: Final = re.compile(r'"timesecs"\s{0,40}:\s{0,40}(\d{9,11})\b')
_COOKIE: Final = re.compile(r'"cookie"\s{0,40}:\s{0,40}"(\w{10,64})"')
_DEFAULT: Final = re.compile(
    r"TCP window size: {1,9}([\d.]{1,9}) ([KMG]?)Bytes? \(default\)|TCP window size: {1,9}([\d.]{1,9}) ([KMG]?)Byte"
)


def find(document: Document) -> Iterator[Statement]:
    """Find the requested windows, rates, amounts and files."""
    if not any(word in document.text for word in _WORDS):
        return
    end = end_of(document.source_file)
    ends: dict[str, tuple[float | str, int]] = {}
    for number, text in enumerate(document.lines, 1):
        if len(text) > _LONGEST or not any(word in text for word in _IN_LINES):
            continue
        for name, value in _of_line(text):
            if name in ("asked.local", "asked.remote"):  # each stream says so
                before, line = ends.get(name, ("", 0))
                ends[name] = value, number
                if before == value and number - line <= _OF_ONE_RUN:
                    continue
            yield Statement(name, value, document.source_file, number, text.strip(), end)
    if '"test_start"' in document.text:
        yield from _of_json(document)
    if '"dest"' in document.text:
        yield from _specified(document)


def _of_line(text: str) -> Iterator[tuple[str, float | str]]:
    match = _COMMAND.search(text)
    if match is not None:
        tool = PurePath(match[1]).name.removesuffix(".exe")
        arguments = match[2].split()
        yield "asked.command", match[1]
        yield from _nuttcp(arguments) if tool.endswith("ttcp") else _iperf(tool, arguments)
        if (pipe := _PIPE.search(text)) is not None:
            yield "asked.file", "memory" if pipe[1] in _NO_FILES else pipe[1]
        elif _PROGRAM.search(text) is not None:
            yield "asked.file", "program"
    if (copied := _COPIED.search(text) or _TO_URL.search(text)) is not None:
        yield "asked.remote", copied[1].strip("[]")
    if (scheduled := _SCHEDULED.search(text)) is not None:
        yield from _pscheduler(scheduled[1].split())
    if "onnecting to" in text and (named := _NAMED.search(text)) is not None:
        yield "asked.name", named[1] or named[2]
    for connected in _CONNECTED.finditer(text):
        local, remote = connected[1] or connected[3], connected[2] or connected[4]
        yield from ((name, host) for name, host in (("asked.local", local), ("asked.remote", remote)) if host)
    if "window size" in text and (asked := _DEFAULT.search(text)) is not None and asked[3] is not None:
        yield "asked.window_bytes", float(asked[3]) * 1024 ** _POWERS[asked[4].lower()]


def _pscheduler(arguments: Sequence[str]) -> Iterator[tuple[str, float | str]]:
    """Ends and rate of a throughput test that pScheduler runs."""
    yield "asked.command", "pscheduler"
    if rate := _first(arguments, ("-b", "--bandwidth"), 1000):
        yield "asked.rate_bps", rate * (_first(arguments, ("-P", "--parallel"), 1000) or 1.0)
    ends = {
        key: value.lstrip("=")
        for key, names in (("source", ("-s", "--source")), ("dest", ("-d", "--dest")))
        for name in names
        for value in _joined(arguments, name)
    }
    yield from _ends(ends, is_reversed="--reverse" in arguments)


def _ends(ends: Mapping[str, str], *, is_reversed: bool) -> Iterator[tuple[str, str]]:
    """The ends of a test by the keys of pScheduler, the one that sends as the local one."""
    names = ("dest", "source") if is_reversed else ("source", "dest")
    for name, key in zip(("asked.local", "asked.remote"), names, strict=True):
        if host := ends.get(key, "").strip("[]"):
            yield name, host


def _specified(document: Document) -> Iterator[Statement]:
    """Ends of each test in pScheduler's JSON."""
    text, source = document.text, document.source_file
    for spec in _SPECIFIED.finditer(text):
        keys = list(_END.finditer(spec[0]))
        ends = {key[1]: key[2] for key in keys if key[1]}
        line = text.count("\n", 0, spec.start()) + 1
        for name, host in _ends(ends, is_reversed=any(key[3] for key in keys)):
            yield Statement(name, host, source, line, " ".join(spec[0].split())[:300], end_of(source))


def _iperf(tool: str, arguments: Sequence[str]) -> Iterator[tuple[str, float | str]]:
    """Requests to iperf3 and iperf 2: sizes have binary, rates decimal prefixes."""
    streams = _first(arguments, ("-P", "--parallel"), 1024) or 1.0
    window = _first(arguments, ("-w", "--window"), 1024)
    rate = _first(arguments, ("-b", "--bandwidth", "--bitrate", "--fq-rate"), 1000)
    amount = _first(arguments, ("-n", "--num", "--bytes"), 1024)
    if window:
        yield "asked.window_bytes", window
    if rate:
        yield "asked.rate_bps", rate * streams
    if amount:
        yield "asked.bytes", amount
    file = next((value for name in ("-F", "--file") for value in option_values(arguments, name)), "")
    if file and tool == "iperf3":
        yield "asked.file", file.lstrip("=")


def _nuttcp(arguments: Sequence[str]) -> Iterator[tuple[str, float | str]]:
    """Requests to nuttcp: a window in KB unless it has a prefix, a rate of all streams, buffers of a length."""
    window = next((_amount(value.lstrip("sr"), 1024) for value in option_values(arguments, "-w")), None)
    if window:
        plain = any(value.lstrip("sr").isdecimal() for value in option_values(arguments, "-w"))
        yield "asked.window_bytes", window * 1024 if plain else window
    rate = next((value for value in option_values(arguments, "-R")), "")
    if rate and rate[0] != "u" and (bps := _amount(rate.lstrip("i").split("/")[0], 1000)):
        plain = rate.lstrip("i").isdecimal()
        yield "asked.rate_bps", bps * 1000 if plain else bps
    number = next((_amount(value, 1024) for value in option_values(arguments, "-n")), None)
    if number:
        sizes = list(option_values(arguments, "-n"))
        length = next((_amount(value, 1024) for value in option_values(arguments, "-l")), None) or 65536.0
        yield "asked.bytes", number * length if sizes[0].isdecimal() else number


def _first(arguments: Sequence[str], names: Sequence[str], base: int) -> float | None:
    """First value of an option with any of these names."""
    values = (value.lstrip("=") for name in names for value in _joined(arguments, name))
    return next((amount for value in values if (amount := _amount(value, base)) is not None), None)


def _joined(arguments: Sequence[str], name: str) -> Iterator[str]:
    """Values of an option; a short one may be joined to its value, a long one with an equals sign."""
    if not name.startswith("--"):
        yield from option_values([word for word in arguments if not word.startswith("--")], name)
        return
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == name:
            yield following
        elif word.startswith(f"{name}="):
            yield word[len(name) + 1 :]


def _amount(text: str, base: int) -> float | None:
    match = _AMOUNT.match(text.strip())
    return None if match is None else float(match[1]) * float(base) ** _POWERS[match[2].lower()]


#: Keys of iperf3's JSON: the name of the statement, and what one unit is.
_JSON: Final[Mapping[str, tuple[str, float]]] = {
    "sock_bufsize": ("asked.window_bytes", 1.0),
    "max_snd_wnd": ("socket.send_window_bytes", 1.0),
    "min_rtt": ("socket.rtt_least_s", 1e-6),
    "mean_rtt": ("socket.rtt_s", 1e-6),
}


def _of_json(document: Document) -> Iterator[Statement]:
    """Requests and sockets in iperf3's JSON, each once."""
    text, source, end = document.text, document.source_file, end_of(document.source_file)

    def statement(name: str, value: float, match: re.Match[str], offset: int = 0) -> Statement:
        line = text.count("\n", 0, offset + match.start()) + 1
        return Statement(name, value, source, line, " ".join(match[0].split()), end)

    if (named := _NAMED_IN_JSON.search(text)) is not None:
        yield Statement("asked.name", named[1], source, text.count("\n", 0, named.start()) + 1, named[1], end)
    began, cookie = _BEGAN.search(text), _COOKIE.search(text)
    if began is not None and cookie is not None:
        line = text.count("\n", 0, began.start()) + 1
        yield Statement("run.began_s", float(began[1]), source, line, cookie[1], end)
    stated = set()
    for match in _KEY.finditer(text):
        if match[1] in _JSON and match[1] not in stated and float(match[2]) > 0:
            stated.add(match[1])
            name, unit = _JSON[match[1]]
            yield statement(name, float(match[2]) * unit, match)
    for start in _START.finditer(text):
        yield statement("asked.command", 1.0, start)
        own = {match[1]: match for match in _KEY.finditer(start[0])}
        streams = float(own["num_streams"][2]) if "num_streams" in own else 1.0
        for key, name, factor in (("target_bitrate", "asked.rate_bps", streams), ("bytes", "asked.bytes", 1.0)):
            if key in own and float(own[key][2]) > 0:
                yield statement(name, float(own[key][2]) * factor, own[key], start.start())
