"""Access lines with two rates, as people state them: "500/50 Mbit/s", "100 Mb/s down, 40 up".

The larger rate, or that of "down", is the download rate of the poster's site. Measured rates, and pairs that are speeds
of ports ("10/100 Mbit"), do not count.
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

_UNIT: Final = r"(?:[kKmMgG](?:bits?|bps|b|bit)?(?: ?/ ?s(?:ec)?|ps)?)"
_PAIR: Final = re.compile(
    rf"(?<![\w./:-])(?P<down>\d{{1,5}}(?:[.,]\d{{1,2}})?) ?(?P<unit>{_UNIT})?(?: (?P<downwards>down(?:load|stream)?))?"
    rf" ?(?:/|,|\band\b|\bby\b|\+) ?(?P<up>\d{{1,5}}(?:[.,]\d{{1,2}})?) ?(?P<unit2>{_UNIT})?"
    r"(?: (?P<upwards>up(?:load|stream)?))?(?![\w/]|\.\d)"
)
_CLAUSES: Final = re.compile(r"[;!?\n]|\.(?=\s|$)|\bbut\b|\bwhile\b|\bwhereas\b|\binstead\b")
_LINE: Final = re.compile(
    r"\b(?:line|connection|internet|[AV]?DSL|cable|fib(?:er|re)|ftth|plan|contract|subscription|package|tariff|provider"
    r"|ISP|access|circuit|WAN|uplink|(?:pay(?:ing)?|paid) for|sold|booked|promised|subscribed)\b",
    re.IGNORECASE,
)
_MEASURED: Final = re.compile(
    r"\b(?:measur\w{1,4}|got|gets?|getting|gives?|only|speed ?tests?|tests?|tested|reach\w{0,4}|see|seen|iperf\d?"
    r"|achiev\w{1,4}|shows?|throughput|drops?|falls?|actual(?:ly)?|ports?|cards?|switch(?:es)?|NICs?|adapters?)\b",
    re.IGNORECASE,
)
_PREFIXES: Final = {"k": 1e3, "m": 1e6, "g": 1e9}


def find(document: Document) -> Iterator[Statement]:
    """Find the rates of access lines in a note."""
    if len(document.content) > _LARGEST or document.start.startswith(("{", "[", "<")):
        return
    for number, text in enumerate(map(sentences.stated, document.lines), 1):
        if len(text) > _LONGEST or ("/" not in text and "down" not in text):
            continue
        for clause in _CLAUSES.split(text):
            pair = _PAIR.search(clause)
            if pair is None or _LINE.search(clause) is None or _MEASURED.search(clause) is not None:
                continue
            for name, rate in _rates(pair):
                yield Statement(name, rate, document.source_file, number, clause.strip(" #*-\t"))


def _rates(pair: re.Match[str]) -> Iterator[tuple[str, float]]:
    """The rates of both directions; none of what may be speeds of a port, or has no unit."""
    unit = pair["unit"] or pair["unit2"]
    other = pair["unit2"] or pair["unit"]
    if unit is None or other is None or (pair["upwards"] and pair["unit"] is None and pair["downwards"] is None):
        return
    down, up = (
        float(number.replace(",", ".")) * _PREFIXES[of[0].lower()]
        for number, of in ((pair["down"], unit), (pair["up"], other))
    )
    if down > up > 0 or (pair["downwards"] is not None and up > 0):
        yield "access.down_bps", down
        yield "access.up_bps", up
