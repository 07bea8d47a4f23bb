"""Secrets that stand in logs: passwords in addresses, tokens, SNMP communities. They go no further than the log.

What a table quotes of a file (`hecn_analysis.tables`: labels, messages of problems) passes through `hidden`.
"""

from __future__ import annotations

import re
from typing import Final

_PLACE: Final = "…"
_HIDDEN: Final = (
    # scheme://user:password@host
    (re.compile(r"(://[^\s/:@]{1,64}:)[^\s/@]{1,200}(?=@)"), rf"\1{_PLACE}"),
    # token=…, password: …, as parts of addresses, options and headers
    (
        re.compile(
            r"(?i)((?:password|passwd|passphrase|secret|token|api_?key|access_?key|signature|credential)s?"
            r"(?:=|: ))[^\s&;,'\"]{1,400}"
        ),
        rf"\1{_PLACE}",
    ),
    (re.compile(r"(?i)(authorization: ?\w{1,20} )\S{1,400}"), rf"\1{_PLACE}"),
    # MRTG's 2:community@router
    (re.compile(r"(?<![\w:])(-?\d{1,10}:)[^\s:@]{1,64}(?=@[\w.\[-])"), rf"\1{_PLACE}"),
)
#: snmpwalk -c community, and the keys of version 3.
_SNMP: Final = re.compile(r"\bsnmp[a-z]{1,16}\s.{1,1000}")
_SNMP_SECRET: Final = re.compile(r"(\s-[cAX] ?)[^\s-]\S{0,200}")


def hidden(text: str) -> str:
    """A text without its secrets.

    >>> hidden("found 'ftp://me:pass@host/x?token=abc&n=1'")
    "found 'ftp://me:…@host/x?token=…&n=1'"
    >>> hidden("$ snmpwalk -v2c -c public switch1 ifTable"), hidden("Target[a]: 2:public@router")
    ('$ snmpwalk -v2c -c … switch1 ifTable', 'Target[a]: 2:…@router')
    """
    for pattern, left in _HIDDEN:
        text = pattern.sub(left, text)
    return _SNMP.sub(lambda command: _SNMP_SECRET.sub(rf"\1{_PLACE}", command[0]), text)
