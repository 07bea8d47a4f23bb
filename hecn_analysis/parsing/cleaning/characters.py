"""Characters of web pages, word processors and other alphabets in place of those of a terminal."""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.parsing.cleaning.text import Text

_BLANKS: Final = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NOTHING: Final = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_OTHERS: Final = {
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2212": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u2026": "...",
    "\u00d7": "x",
    "\u2502": "|",
    "\u2503": "|",
    "\u2551": "|",
}
_FULL_WIDTH: Final = {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)}
_TABLE: Final = str.maketrans({**dict.fromkeys(_BLANKS, " "), **dict.fromkeys(_NOTHING, ""), **_OTHERS, **_FULL_WIDTH})
_FOREIGN: Final = re.compile(f"[{''.join(map(chr, _TABLE))}\u2013-\u2015]")
_LONG_DASH: Final = re.compile("(?:(?<=\\s)|^)[\u2014\u2015](?=\\s|$)")
_OPTION: Final = re.compile("(?:(?<=\\s)|^)\u2013(?=[a-z]{2})")
_DASH: Final = re.compile("[\u2013-\u2015]")
#: A row of iperf whose letters are all small.
_SMALL: Final = re.compile(
    r"(?P<before>\[ {0,4}(?:\d{1,4}|sum)\] {1,4}\d[\d. -]{4,24} sec {1,4}[\d.]{1,9} )"
    r"(?P<amount>[kmgt]?b)(?P<between>ytes {1,8}[\d.]{1,9} )"
    r"(?P<rate>[kmgt]?)(?P<after>bits/sec)"
)


def with_large_letters(text: Text) -> Text:
    """Write the units of iperf as it does, where a page has made all letters small."""
    return text.each(lambda line: _SMALL.sub(_large, line) if "bits/sec" in line else line)


def _large(row: re.Match[str]) -> str:
    before, amount, rate = row["before"].replace("sum", "SUM"), row["amount"].upper(), row["rate"].upper()
    return f"{before}{amount}{row['between']}{rate}{row['after']}"


def plain_characters(text: Text) -> Text:
    """Write blanks, digits, dashes and quotes as a terminal does."""
    return text.each(_plain)


def _plain(line: str) -> str:
    if line.isascii() or not _FOREIGN.search(line):
        return line
    line = _OPTION.sub("--", _LONG_DASH.sub("---", line.translate(_TABLE)))
    return _DASH.sub("-", line)
