"""Notes of people: the rate of the circuit and of the transfer, the distance, the buffers, and the ends, in free words.

A rate counts if a word for a circuit is near it ("circuit: 200 Mb/s", "155 Mb/s leased line"), and no word for a
measurement, a port or an amount is nearer; that of the transfer follows "get", "reach" or "only". Both rates of an
access line ("50/10 Mbit/s") and rates in bytes are ambiguous and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import sentences
from hecn_analysis.statements.statement import Statement

#: Largest file that is taken for a note [B], and longest line of one [characters]. [B]
_LARGEST: Final = 8192
_LONGEST: Final = 2000

#: What stands in outputs of tools, and not in notes: in a line, the line is left out.
_OF_TOOLS: Final = re.compile(
    r"\[ {0,4}\d{1,9}\.\d{1,9}\]|\[ {0,3}(?:\d{1,4}|sum)\]|kernel:|link is (?:up|down)|link becomes|link up|nic link"
    r"|link/"
    r"|link detected|link encap|link quality|link-|lnk|speed:|capacity:|bit rate|negotiated|advertis|mtu \d{1,6} "
    r"|qdisc "
    r"|class |ceil |^\W{0,4}tc |driverversion|PCI|^\s{0,4}[0-9a-f]{2}:[0-9a-f]{2}\.\d|min/avg|icmp_seq|seq=|bytes from"
    r"|time[=<]|latency =|lat_|jitter|cwnd|avg|min=|max=",
    re.IGNORECASE,
)
_OPTION: Final = re.compile(r"%|\s-{1,2}[a-z]{1,20}[ =]\d")
_STRUCTURED: Final = ("{", "[", "<")

_RATE: Final = re.compile(
    r"(?<![\w./:+*-])(?P<number>\d{1,6}(?:\.\d{1,2}|,\d{1,3})?)(?:\s?/\s?(?P=number))?[ -]?"
    r"(?P<prefix>[kKmMgGT])(?:b(?:its?|ps)?(?:(?: ?/ ?| per )s(?:ec(?:ond)?)?)?|bE|igE|ig|igabit|egabit|ilobit)?"
    r"(?:its?|s)?(?:(?: ?/ ?| per )s(?:ec(?:ond)?)?)?(?![\w/])"
    r"|(?<![\w./:-])(?P<word>[Gg]igabit)(?!\w)"
    r"|(?<![\w./:-])(?P<carrier>OC-?\d{1,3}c?|STM-?\d{1,2}|T1|E1|T3|DS-?3|E3)(?![\w/])"
)
#: What a line with a rate or a distance has at the least.
_HINT: Final = re.compile(r"\d[ -]?[kKmMgGT](?:[biGg]|\W|$)|igabit|\bOC|\bSTM|\b[TE][13]\b|\bDS|\d ?(?:ms|us|µs|s)\b")
_PREFIXES: Final = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_CARRIERS: Final = {"T1": 1.544e6, "E1": 2.048e6, "T3": 44.736e6, "DS3": 44.736e6, "E3": 34.368e6}
_BASIC: Final = {"OC": 51.84e6, "STM": 155.52e6}

_CIRCUIT: Final = re.compile(
    r"\b(?:circuits?|(?<!-)links?(?! (?:speed|rate|partner|mode|state|status|aggr))"
    r"|(?<!command )(?<!per )lines?(?! rate)"
    r"|bandwidth|contract(?:ed)?|access|uplink|downlink|WAN|committed|CIR|capacity|provision(?:ed)?|subscri(?:bed"
    r"|ption)"
    r"|leased|internet|carrier|provider|ISP|lambda|wavelength|MPLS|pseudowire|fib(?:er|re)(?! channel)|backbone"
    r"|bottleneck|broadband|DSL|pipe|plan)\b",
    re.IGNORECASE,
)
_NETWORK: Final = re.compile(
    r"^\W{0,2}(?:ethernet )?(?:LAN|network)\b(?! (?:connection|adapter|controller|card|interface|\())", re.IGNORECASE
)
_MEASURED: Final = re.compile(
    r"\b(?:measur\w{1,4}|got|gets?|getting|gives?|gave|only|speed ?tests?|tests?|tested|achiev\w{1,4}|reach\w{0,4}"
    r"|goodput|throughput|transfer\w{0,4}|copy|copies|copied|download(?:s|ed|ing)?|upload(?:s|ed|ing)?|iperf\d?|nuttcp"
    r"|see|sees|seen|observed|average|actual(?:ly)?|stops?|instead|runs?|ran|peaks?|maxe[sd]|tops|result\w{0,3}|shows?"
    r"|shown|expect\w{0,4}|current(?:ly)?|limited|shap\w{1,4}|polic\w{1,4}|used|usage|load|drops?|fell|falls|sends?"
    r"|receives?|sustain\w{0,4}|should|want\w{0,3}|need\w{0,3}|phone|usb)\b",
    re.IGNORECASE,
)
_MEASURED_AFTER: Final = re.compile(
    r"^\W{0,3}(?:(?:was|were|is|are) )?(?:measured|achieved|observed|seen|used|in use|of traffic|on average|at best"
    r"|max\b"
    r"|per (?:stream|flow|connection|session|direction)|down\b|up\b|throughput|goodput|UDP|TCP|sent|received|test"
    r"|stream)",
    re.IGNORECASE,
)
_DEVICE: Final = re.compile(
    r"^\W{0,3}(?:(?!and\b|or\b|on\b|between\b|of\b)\w{1,20}\W{1,3}){0,3}?(?:cards?|NICs?|adapters?|ports?"
    r"|switch(?:es)?|routers?|interfaces?|SFP\+?|modules?|transceivers?|optics?|files?|HBAs?|RAM|memory|disks?|window"
    r"|buffers?|dongle)\b",
    re.IGNORECASE,
)
_CLAUSES: Final = re.compile(r"[;!?\n]|\.(?=\s|$)|,(?=\s)|\bbut\b|\bwhile\b|\bwhereas\b")

_DISTANCE: Final = re.compile(
    r"(?:\b(?:RTT|round[- ]trip(?: time| delay)?|latency|latenz|latence|latencia|latenza|ping(?: time)?s?)\b"
    r"|延迟|延遲|レイテンシ|задержк\w|пинг)[^\w\n]{0,4}(?:[a-zA-Z]{1,12}[^\w\n]{1,3}){0,4}?"
    r"[~≈]?(?P<before>\d{1,5}(?:[.,]\d{1,3})?) ?(?P<unit>ms|msec|milliseconds|µs|us|s)\b"
    r"|(?<![\w./,-])(?P<after>\d{1,5}(?:[.,]\d{1,3})?) ?(?P<unit2>ms|msec|milliseconds|µs|us)"
    r"(?: (?:of )?(?:RTT|round[- ]trip|latency|latenz|away|apart|distant|ping)\b"
    r"| ?的?(?:延迟|延遲)|の(?:遅延|レイテンシ))"
    r"|(?<![\w.,])\d{1,6}(?:[.,]\d{1,3})? ?[kMGT]b(?:its?)?(?:/s(?:ec)?|ps) (?:over|across) (?:an? )?"
    r"(?P<over>\d{1,5}(?:[.,]\d{1,3})?)[ -]?"
    r"(?P<unit3>ms|msec|milliseconds)\b",
    re.IGNORECASE,
)
_SECONDS: Final = {"s": 1.0, "ms": 1e-3, "msec": 1e-3, "milliseconds": 1e-3, "µs": 1e-6, "us": 1e-6}
_ONE_WAY: Final = re.compile(r"one[- ]way", re.IGNORECASE)
_LOADED: Final = re.compile(
    r"\b(?:during|under load|loaded|while|busy|rises?|goes up|with the transfer)\b", re.IGNORECASE
)

#: Words for what a transfer reached before its rate, and nothing but an article or a filler between.
_REACHED: Final = re.compile(
    r"\b(?:gets?|got|getting|gives?|gave|reach(?:es|ed)?|achieves?|achieved|measured?|see|saw|only|stuck at|runs? at)"
    r"(?: (?:about|around|only|just|roughly|some|up to|at|a|of|me|us|ca\.?)){0,3}\W{0,3}$",
    re.IGNORECASE,
)
_BUFFER: Final = re.compile(
    r"\b(?:(?:socket|tcp|send|receive) ?(?:buffer|window)s?|buffers?|windows?)(?: size)?"
    r"(?: (?:is|are|of|at|set|to|both|ends)){0,3}[ =:]{1,3}(?P<after>\d{1,6}(?:\.\d{1,2})?) ?(?P<unit>[KMG])i?B\b"
    r"|(?<![\w.,])(?P<before>\d{1,6}(?:\.\d{1,2})?) ?(?P<unit2>[KMG])i?B"
    r" (?:socket |tcp |send |receive )?(?:buffer|window)s?\b",
    re.IGNORECASE,
)

_ENDS: Final = re.compile(
    r"^\W{0,4}(?:[A-Za-z]{1,20}: {1,4})?(?P<sender>[A-Za-z][\w.-]{1,63}) {0,3}(?:-{1,2}>|→) {0,3}"
    r"(?P<receiver>[A-Za-z][\w.-]{1,63})(?![\w.-]| {0,3}(?:-{1,2}>|→))"
)

#: Farthest that a word for a circuit may stand from its rate [characters]; for a bare "10G", nearer. [B]
_NEAR: Final = 60
_NEARER: Final = 25

#: From so many kbit/s on, people write Mbit/s. [B]
_MOST_K: Final = 10_000


def find(document: Document) -> Iterator[Statement]:
    """Find the rate of the circuit, the distance and the ends in a note."""
    if len(document.content) > _LARGEST or document.start.startswith(_STRUCTURED):
        return
    yield from _ends(document)
    for number, text in enumerate(map(sentences.stated, document.lines), 1):
        if len(text) > _LONGEST or _HINT.search(text) is None or _OF_TOOLS.search(text) is not None:
            continue
        for rate_bps, says in _rates(text):
            yield Statement("path.rate_bps", rate_bps, document.source_file, number, says)
        yield from _of_transfer(document, text, number)
        for match in _DISTANCE.finditer(text):
            if not _ONE_WAY.search(text):
                name = "path.rtt_loaded_s" if _LOADED.search(text) else "path.rtt_idle_s"
                value = float((match["before"] or match["after"] or match["over"]).replace(",", "."))
                seconds = value * _SECONDS[(match["unit"] or match["unit2"] or match["unit3"]).lower()]
                if 0 < seconds < 10:
                    yield Statement(name, seconds, document.source_file, number, match[0].strip())


def _ends(document: Document) -> Iterator[Statement]:
    """Find the names of sender and receiver on both sides of an arrow."""
    for number, text in enumerate(document.lines, 1):
        if len(text) <= _LONGEST and (ends := _ENDS.match(text)) is not None:
            for end in ("sender", "receiver"):
                name = ends[end].rstrip(".")
                yield Statement(f"path.{end}", name, document.source_file, number, ends[0].strip(), end)


def _of_transfer(document: Document, text: str, number: int) -> Iterator[Statement]:
    """Find the only rate that a transfer reached in a line, and the buffers that it had."""
    of_circuits = {bps for bps, _ in _rates(text)}
    rates = [rate for rate in _RATE.finditer(text) if "b" in rate[0].lower() and not rate[0].endswith("E")]
    others = [rate for rate in rates if _bps(rate) not in {0.0, *of_circuits}]
    if len(others) == 1 and _REACHED.search(text[max(others[0].start() - _NEAR, 0) : others[0].start()]) is not None:
        yield Statement("told.rate_bps", _bps(others[0]), document.source_file, number, text.strip()[:300])
    for match in _BUFFER.finditer(text):
        size = float(match["after"] or match["before"]) * _PREFIXES[(match["unit"] or match["unit2"]).lower()]
        yield Statement("told.buffer_bytes", size, document.source_file, number, match[0].strip())


def _rates(text: str) -> Iterator[tuple[float, str]]:
    """Find the rates of circuits in a line, and the words around them."""
    start = 0
    for end in [*(match.start() for match in _CLAUSES.finditer(text)), len(text)]:
        clause = text[start:end]
        start = end + 1
        if _OPTION.search(clause) is not None:
            continue
        rates = list(_RATE.finditer(clause))
        for index, rate in enumerate(rates):
            before = clause[rates[index - 1].end() if index else 0 : rate.start()].replace("_", " ")
            after = clause[rate.end() : rates[index + 1].start() if index + 1 < len(rates) else None]
            bps = _bps(rate)
            if bps and _is_of_circuit(before, after, rate, is_last=index + 1 == len(rates)):
                yield bps, clause.strip(" #*-\t")


def _is_of_circuit(before: str, after: str, rate: re.Match[str], *, is_last: bool) -> bool:
    """Whether the words around a rate refer to a circuit; words between two rates belong to the later one."""
    if _MEASURED.search(before) or _MEASURED_AFTER.match(after) or _DEVICE.match(after):
        return False
    if is_last and _MEASURED.search(after[:_NEARER]) and not _CIRCUIT.search(before[-_NEARER:]):
        return False
    if _NETWORK.match(after):
        return True
    near = _NEARER if rate["word"] or _is_bare(rate) else _NEAR
    return bool(_CIRCUIT.search(before[-near:]) or _CIRCUIT.search(after[:_NEARER]))


def _is_bare(rate: re.Match[str]) -> bool:
    """Whether a rate is one letter after a number, as in "10G"."""
    return bool(rate["prefix"]) and rate[0].endswith(rate["prefix"])


def _bps(rate: re.Match[str]) -> float:
    """Return the rate in bit/s, 0 if it is impossible."""
    if rate["word"]:
        return 1e9
    if rate["carrier"]:
        name = rate["carrier"].upper().replace("-", "").rstrip("C")
        family = name.rstrip("0123456789")
        basic, multiple = _BASIC.get(family, 0.0), name[len(family) :]
        return _CARRIERS.get(name) or basic * float(multiple or 0)
    number = rate["number"]
    thousands = "," in number and len(number.partition(",")[2]) == 3
    if rate["prefix"] == "k" and float(number.replace(",", "")) >= _MOST_K:  # of a port, as its counters say it
        return 0.0
    if _is_bare(rate) and not rate["prefix"].isupper():  # "40 ms", "5 k"
        return 0.0
    return float(number.replace(",", "" if thousands else ".")) * _PREFIXES[rate["prefix"].lower()]
